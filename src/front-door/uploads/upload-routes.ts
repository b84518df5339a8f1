/**
 * The route where recorders upload clips: `/upload/clips`, tus 1.0 (https://tus.io/protocols/resumable-upload) with the key of a device or
 * an organization. @tus/server implements the protocol. The access decision is made here, for every request, before the server reads it
 * (docs/design/upload.md).
 */

import { Server } from '@tus/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { type ErrorKind, GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { type AuthenticationParts, authenticate } from '../../http/authentication.ts';
import type { DeviceDirectory } from '../../sharing/device-directory.ts';
import { readClipClaims, uploadUuid } from '../../uploads/clip-claims.ts';
import { costSentence } from '../../uploads/conversion-cost.ts';
import { UPLOAD_ERRORS } from '../../uploads/errors.ts';
import type { UploadService } from '../../uploads/upload-service.ts';
import { type DeviceRefusal, sendDeviceRefused } from '../response/refusal-response.ts';
import type { OpeningLog } from '../session/opening-log.ts';
import { UploadLocks } from './upload-locks.ts';
import { currentUpload, UploadStore } from './upload-store.ts';

export const UPLOAD_PATH = '/upload/clips';

/** The dependencies of uploads; without them, there are none. */
export interface UploadParts {
  readonly service: UploadService;
  readonly directory: Pick<DeviceDirectory, 'learn'>;
  readonly authentication: AuthenticationParts;
  readonly maxBytes: number;
  readonly keepUnfinishedMs: number;
}

export interface UploadRoutesOptions extends UploadParts {
  readonly basePath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly openingLog: OpeningLog;
}

type UploadHttpRequest = FastifyRequest<{ Params: { id?: string } }>;

/** tus clients try again only after 409, 423 and 5xx. */
const STATUS_BY_KIND: Readonly<Partial<Record<ErrorKind, number>>> = {
  'invalid-input': 400,
  'not-allowed': 403,
  'not-found': 404,
  conflict: 409,
  limit: 413,
  'peer-protocol': 422,
  unavailable: 503,
  timeout: 503,
  internal: 500,
};
/** tus 1.0, checksum extension. */
const CHECKSUM_MISMATCH = 460;
const BUSY_RETRY_AFTER_SEC = 5;
const MS_PER_SEC = 1_000;

export class UploadRoutes {
  readonly #options: UploadRoutesOptions;
  readonly #tus: Server;

  constructor(options: UploadRoutesOptions) {
    this.#options = options;
    const { service, maxBytes, keepUnfinishedMs, basePath } = options;
    this.#tus = new Server({
      path: UPLOAD_PATH,
      datastore: new UploadStore(service, keepUnfinishedMs),
      locker: new UploadLocks(),
      maxSize: maxBytes,
      namingFunction: (request, metadata) => {
        const { uploader } = currentUpload.getStore()!;
        const claims = readClipClaims(metadata ?? {}, Number(request.headers.get('upload-length')));
        return uploadUuid(uploader.keyUuid, claims);
      },
      generateUrl: (_request, { id }) => `${basePath}${UPLOAD_PATH}/${id}`,
      onUploadFinish: async (_request, { id }) => {
        await service.finish(currentUpload.getStore()!.uploader, id);
        return {};
      },
      onResponseError: (_request, thrown) => this.#responseTo(thrown),
    });
  }

  register(app: FastifyInstance): void {
    app.register(async (scope) => {
      // The body is read by the tus server, as it comes.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      const config = { access: 'upload' } as const;
      const handler = (request: UploadHttpRequest, reply: FastifyReply) => {
        this.#handle(request, reply).catch((thrown) => {
          if (reply.sent) reply.raw.destroy();
          else reply.send(thrown);
        });
      };
      scope.route({ method: 'POST', url: UPLOAD_PATH, config, handler });
      scope.route({ method: ['HEAD', 'PATCH', 'DELETE'], url: `${UPLOAD_PATH}/:id`, config, handler });
      for (const url of [UPLOAD_PATH, `${UPLOAD_PATH}/:id`]) {
        scope.options(url, { config: { access: 'public' } }, (request, reply) => this.#pass(request, reply));
      }
    });
  }

  async #handle(request: UploadHttpRequest, reply: FastifyReply): Promise<void> {
    const { directory, openingLog, clock } = this.#options;
    openingLog.noteProxy(request);
    const caller = await this.#authenticate(request);
    if ('reason' in caller) {
      openingLog.refusedDevice(request.routeOptions.url, {
        principal: null,
        device: null,
        reason: caller.reason,
      });
      // The rest of the body is not read.
      if (request.raw.httpVersionMajor < 2) reply.header('connection', 'close');
      sendDeviceRefused(reply, caller, clock.epochMs());
      return;
    }
    const { orgUuid, actor: key } = caller;
    await directory.learn({ kind: 'key', uuid: key.uuid }, key);
    const uploader = { keyUuid: key.uuid, orgUuid };
    const { raw: response } = reply;
    await currentUpload.run({ uploader, request: request.raw, response }, () => this.#pass(request, reply));
  }

  async #pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack();
    await this.#tus.handle(request.raw, reply.raw);
  }

  /** Rejects if the store or the gateway cannot decide. */
  async #authenticate({ headers, ip }: UploadHttpRequest): Promise<Caller | DeviceRefusal> {
    if ((headers['x-auth-apikey'] ?? '') === '') return { reason: 'credentials-needed', retryAfterMs: null };
    try {
      return await authenticate(headers, ip, 'device', this.#options.authentication, () => undefined);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === 'unauthenticated') return { reason: 'credentials-wrong', retryAfterMs: null };
      if (error.kind !== 'rate-limited') throw error;
      const retryAfterMs = Number(error.context.retryAfterSec) * MS_PER_SEC;
      return { reason: 'too-many-credentials', retryAfterMs };
    }
  }

  /** `thrown`: our error, or the tus server's refusal. */
  #responseTo(thrown: unknown): { status_code: number; body: string } {
    const { response } = currentUpload.getStore()!;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    const refused = thrown as { status_code?: number; body?: string };
    if (!(thrown instanceof GatewayError) && refused.status_code !== undefined) {
      return { status_code: refused.status_code, body: bodyOf((refused.body ?? '').trim(), 'bad-request') };
    }
    const error = toGatewayError(thrown);
    const isChecksum = error.code === UPLOAD_ERRORS.UPLOAD_CHECKSUM.code;
    const status = isChecksum ? CHECKSUM_MISMATCH : (STATUS_BY_KIND[error.kind] ?? 503);
    if (status === 503) {
      const requested = error.context.retryAfterSec;
      response.setHeader('retry-after', typeof requested === 'number' ? requested : BUSY_RETRY_AFTER_SEC);
    }
    if (error.kind === 'internal') this.#options.log.error({ err: error }, 'upload failed');
    const { field } = error.context;
    const sentence = `${error.message} ${costSentence(error.context)}`.trim();
    return { status_code: status, body: bodyOf(sentence, error.code, field) };
  }
}

function bodyOf(errorMsg: string, reason: string, field?: unknown): string {
  return JSON.stringify({ error: true, errorMsg, reason, ...(field === undefined ? {} : { field }) });
}
