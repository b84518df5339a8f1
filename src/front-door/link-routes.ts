/**
 * Routes under a share's link: opening the share from the viewer page, and the bare m3u8 URL that pullers play, with
 * the password in HTTP Basic or `?password=` (docs/design/access.md).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import { MAX_PASSWORD_CHARS } from '../sharing/password.ts';
import type { ShareView } from '../sharing/share-directory.ts';
import type { OpenedShare, OpeningRefused } from '../sharing/share-gate.ts';
import { SHARE_TOKEN_CHARS } from '../sharing/share-token.ts';
import type { Audience, LiveCamera } from '../stream/live-media.ts';
import { RenderedPlaylist } from '../stream/rendered-playlist.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import { sendPlaylist } from './media-answer.ts';
import { OpeningLog } from './opening-log.ts';
import { rawQuery } from './raw-query.ts';
import { offlineError, sendFailure, sendJson, sendOpeningRefused } from './refusal-answer.ts';
import { COLD_WAIT_MS, type ViewerRoutes } from './viewer-routes.ts';
import { WaitingReply } from './waiting-reply.ts';

interface OpenBody {
  readonly password?: string | null;
}

const OPEN_BODY = {
  type: 'object',
  properties: { password: { type: ['string', 'null'], maxLength: MAX_PASSWORD_CHARS } },
} as const;

/** How quickly a puller that waits for a camera learns that its access has ended. */
const PULL_RECHECK_MS = 500;
/** Only the bare URL sends this: elsewhere browsers would show their own password window. */
const BASIC_CHALLENGE = 'Basic realm="Shared live video", charset="UTF-8"';
const BASIC_PATTERN = /^Basic +([A-Za-z0-9+/_-]+={0,2})$/i;

export class LinkRoutes {
  readonly #parts: FrontDoorParts;
  readonly #viewerRoutes: ViewerRoutes;
  readonly #openingLog: OpeningLog;

  constructor(parts: FrontDoorParts, viewerRoutes: ViewerRoutes) {
    this.#parts = parts;
    this.#openingLog = new OpeningLog(parts.clock, parts.log);
    this.#viewerRoutes = viewerRoutes;
  }

  register(app: FastifyInstance): void {
    app.post<{ Params: { token: string }; Body: OpenBody }>(
      '/share/:token/open',
      { config: { access: 'share-link' }, schema: { body: OPEN_BODY }, preValidation: emptyBodyIsObject },
      (request, reply) => this.#open(request.params.token, request.body.password || null, request, reply),
    );
    app.get<{ Params: { grant: string } }>(
      '/live/:grant/file.m3u8',
      { config: { access: 'link-or-grant' } },
      (request, reply) => {
        // Tokens and grants differ in length: pullers send the former, players the latter.
        if (request.params.grant.length !== SHARE_TOKEN_CHARS) {
          this.#viewerRoutes.sendPlaylist(request, reply, 'main', 'm4v');
        } else this.#pull(request.params.grant, request, reply).catch((thrown) => reply.send(thrown));
      },
    );
  }

  async #open(token: string, password: string | null, request: FastifyRequest, reply: FastifyReply) {
    const opened = await this.#ask(token, password, request);
    if (!opened.allowed) {
      sendOpeningRefused(reply, opened, this.#parts.clock.epochMs());
      return reply;
    }
    const { view, grantText } = opened;
    const camera = this.#parts.cameras.get(view.share.cameraUuid);
    if (camera === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
      return reply;
    }
    const folder = `${this.#parts.basePath}/live/${grantText}`;
    const picture = camera.keyFrame();
    const hasAudio = knownAudio(camera, audienceOf(view));
    sendJson(reply, 200, {
      status: 'open',
      name: view.share.name,
      streamType: view.share.streamType,
      playlistUrl: `${folder}/${camera.hasSubStream() ? 'index.m3u8' : 'file.m3u8'}`,
      posterUrl: picture === null ? null : `${folder}/poster.jpg`,
      posterAtMs: picture === null ? null : picture.atEpochMs,
      ...(hasAudio === null ? {} : { hasAudio }),
      serverTimeMs: this.#parts.clock.epochMs(),
      expiresAtSec: view.share.expiresAtSec,
    });
    return reply;
  }

  /** A Multivariant Playlist whose URIs use the puller's own grant. */
  async #pull(token: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const opened = await this.#ask(token, passwordOf(request), request);
    if (!opened.allowed) {
      this.#refusePull(reply, opened);
      return;
    }
    const camera = this.#parts.cameras.get(opened.view.share.cameraUuid);
    if (camera === undefined) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT));
      return;
    }
    if (this.#sendMultivariant(reply, camera, opened)) return;
    const state = camera.status();
    if (state.state === 'offline') {
      sendFailure(reply, offlineError(state, this.#parts.clock.epochMs()));
      return;
    }
    this.#awaitMultivariant(reply, camera, opened);
  }

  #awaitMultivariant(reply: FastifyReply, camera: LiveCamera, opened: OpenedShare): void {
    // The client may have left while its password was checked; no event would end the wait.
    if (reply.raw.destroyed) return;
    const { room, gate } = this.#parts;
    const deliver = (): void => {
      const refusal = gate.reconsider(opened);
      if (refusal !== null) this.#refusePull(reply, refusal);
      else if (!this.#sendMultivariant(reply, camera, opened)) {
        sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.CAMERA_SLOW_START));
      }
    };
    const maxWaitMs = COLD_WAIT_MS;
    const waiting = new WaitingReply({ room, reply, session: null, source: camera, deliver, maxWaitMs });
    camera.awaitMultivariant(audienceOf(opened.view), waiting);
    this.#recheck(waiting, opened);
  }

  /** A waiting puller has no viewer session that could be cut off. */
  #recheck(waiting: WaitingReply, opened: OpenedShare): void {
    if (waiting.isOver) return;
    const { gate, clock } = this.#parts;
    const refusal = gate.reconsider(opened);
    if (refusal !== null) waiting.endWith((reply) => this.#refusePull(reply, refusal));
    else clock.after(PULL_RECHECK_MS, () => this.#recheck(waiting, opened));
  }

  #sendMultivariant(reply: FastifyReply, camera: LiveCamera, { view, grantText }: OpenedShare): boolean {
    const text = camera.multivariantPlaylist(`../${grantText}/`, audienceOf(view), 'stream.m3u8');
    if (text === null) return false;
    sendPlaylist(reply, new RenderedPlaylist(text));
    return true;
  }

  #refusePull(reply: FastifyReply, refusal: OpeningRefused): void {
    const wantsPassword = refusal.reason === 'password-needed' || refusal.reason === 'password-wrong';
    if (wantsPassword) reply.header('www-authenticate', BASIC_CHALLENGE);
    sendOpeningRefused(reply, refusal, this.#parts.clock.epochMs());
  }

  async #ask(
    shareToken: string,
    password: string | null,
    request: FastifyRequest,
  ): Promise<OpenedShare | OpeningRefused> {
    const { gate, cameras, log, onShareOpened } = this.#parts;
    const onNear = (view: ShareView): void => cameras.get(view.share.cameraUuid)?.touch(audienceOf(view));
    this.#openingLog.noteProxy(request);
    const opened = await gate.open({ shareToken, password, address: request.ip, onNear });
    const route = request.routeOptions.url;
    if (opened.allowed) {
      const { share } = opened.view;
      log.debug({ route, share: share.uuid }, 'share opened');
      onShareOpened(share, { address: request.ip, userAgent: request.headers['user-agent'] ?? null });
    } else this.#openingLog.refused(route, opened);
    return opened;
  }
}

/** A request without a body opens the share without a password. */
function emptyBodyIsObject(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.body ??= {};
  done();
}

function audienceOf(view: ShareView): Audience {
  return view.share.includeAudio ? 'sound' : 'silent';
}

/** null: not known before the camera plays. */
function knownAudio(camera: LiveCamera, audience: Audience): boolean | null {
  if (audience === 'silent') return false;
  return camera.hasAudio();
}

/** The password from HTTP Basic (RFC 7617; any user name), otherwise from the query; null if neither has one. */
function passwordOf(request: FastifyRequest): string | null {
  const basic = BASIC_PATTERN.exec(request.headers.authorization ?? '')?.[1];
  const userAndPassword = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8');
  const colon = userAndPassword.indexOf(':');
  const password =
    colon >= 0 ? userAndPassword.slice(colon + 1) : new URLSearchParams(rawQuery(request)).get('password');
  return password === '' ? null : password;
}
