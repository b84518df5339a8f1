/**
 * MP4s that are encoded while they are sent: for every device, and with the masks of the camera (docs/design/clips.md#for-every-device).
 * Their length is not known, so they have no ranges.
 */

import type { FastifyReply } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { Pool } from '../../core/limits/pool.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { PLAYBACK_ERRORS } from '../../playback/errors.ts';
import type { ServedFile } from '../../playback/served-file.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { PrivacyMask } from '../../store/privacy-mask.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { contentDisposition, type FileFlow, written } from '../response/file-response.ts';
import { COMMON_HEADERS, sendFailure } from '../response/refusal-response.ts';
import { viewerHolders } from '../response/viewer-holders.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';

export interface EncodedFileOrder {
  readonly source: ServedFile;
  readonly durationMs: number;
  readonly hasAudio: boolean;
  /** null: none. */
  readonly masks: readonly PrivacyMask[] | null;
  /** The recorded one. */
  readonly cameraUuid: Ruuid;
  readonly orgUuid: Ruuid;
}

/** Pieces of an MP4, as they are made. Fails like FileEncoder.encode. */
export type EncodeFile = (order: EncodedFileOrder, ending: AbortSignal) => AsyncGenerator<Buffer>;

export interface EncodedFileKind extends Pick<FileFlow, 'mayContinue' | 'onSent'> {
  /** null: the browser shows it. */
  readonly downloadName: string | null;
}

/** Its first bytes exist. Exactly one of the two is called. */
export interface EncodedFile {
  /** Resolves when there is nothing left to do. Never rejects. */
  send(reply: FastifyReply, kind: EncodedFileKind): Promise<void>;
  discard(): void;
}

export const MAX_ENCODED_MS = 3_600_000;
/** The most that a pipe delivers in one piece, twice. */
const HELD_BYTES = 128 * 1_024;

export class EncodedFiles {
  readonly #encode: EncodeFile | null;
  readonly #running = new Pool(LIMITS.encodedFiles);
  readonly #responses: FrontDoorParts['responses'];

  /** `encode` null: this gateway has no encoder. */
  constructor(encode: EncodeFile | null, responses: FrontDoorParts['responses']) {
    this.#encode = encode;
    this.#responses = responses;
  }

  /**
   * Begins to encode for a viewer, until `ending` or its end. Fails PLAYBACK_NO_ENCODER, RANGE_TOO_LARGE, TOO_MANY_PAST_READS, and like
   * EncodeFile.
   */
  async begin(session: ViewerSession, order: EncodedFileOrder): Promise<EncodedFile> {
    if (this.#encode === null) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_NO_ENCODER);
    if (order.durationMs > MAX_ENCODED_MS) throw new GatewayError(PLAYBACK_ERRORS.RANGE_TOO_LARGE);
    const place = this.#running.take(viewerHolders(session));
    if (!place.isTaken)
      throw new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_PAST_READS, { boundOf: place.level });
    const ending = new AbortController();
    const pieces = this.#encode(order, ending.signal);
    const end = (): void => {
      ending.abort();
      void pieces.return(undefined).catch(() => undefined);
      place.giveBack();
    };
    try {
      const first = await pieces.next();
      return {
        send: (reply, kind) => this.#send(reply, session, kind, first, pieces, ending).finally(end),
        discard: end,
      };
    } catch (thrown) {
      end();
      throw thrown;
    }
  }

  async #send(
    reply: FastifyReply,
    session: ViewerSession,
    { downloadName, mayContinue, onSent }: EncodedFileKind,
    first: IteratorResult<Buffer, void>,
    pieces: AsyncGenerator<Buffer>,
    ending: AbortController,
  ): Promise<void> {
    const response = this.#responses.beginStreamed(reply, session, HELD_BYTES);
    if (response === 'gone') {
      reply.hijack();
      return;
    }
    if (response === 'too-much') {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
      return;
    }
    session.noteFetch();
    session.notePast('file');
    const { raw } = reply;
    reply.hijack();
    raw.on('close', () => ending.abort());
    raw.writeHead(200, headersOf(downloadName));
    try {
      for (let next = first; next.done !== true; next = await pieces.next()) {
        if (raw.destroyed || !mayContinue()) {
          raw.destroy();
          return;
        }
        onSent(next.value.length);
        await written(raw, [next.value]);
        response.advance();
      }
      raw.end();
    } catch {
      // The client sees that the end is missing.
      raw.destroy();
    }
  }
}

function headersOf(downloadName: string | null): Record<string, string> {
  return {
    ...COMMON_HEADERS,
    'content-type': 'video/mp4',
    'cache-control': 'no-store',
    'accept-ranges': 'none',
    ...(downloadName === null ? {} : { 'content-disposition': contentDisposition(downloadName) }),
  };
}
