/**
 * Decodes key frames with ffmpegs that stay loaded (src/ffmpeg/picture-server.ts), one per slot. A server that a frame
 * broke is replaced, never repaired. Where there can be none (an ffmpeg linked statically, no launcher), each picture
 * gets its own ffmpeg, as before.
 */

import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import { PictureServer } from '../ffmpeg/picture-server.ts';
import {
  type CodedFrame,
  DECODE_TIMEOUT_MS,
  type DecodedPicture,
  type DecoderOptions,
  decodingOf,
  OneShotDecoder,
  type PictureDecoder,
  type PictureWish,
} from './picture-decoder.ts';

/** A picture that finds more than this many waiting is refused. */
export const MAX_WAITING_PICTURES = 64;
/** After this many, a server is replaced: its memory layout is the same for all of its pictures. */
const MAX_PICTURES_PER_SERVER = 10_000;

export interface WarmDecoderOptions extends DecoderOptions {
  /** Servers, each a process of about 30 MB. The pool must have as many workers. */
  readonly slots: number;
  readonly log: Log;
}

interface Slot {
  /** null: none yet, or the last one is gone. */
  server: PictureServer | null;
  pictures: number;
}

export class WarmDecoder implements PictureDecoder {
  readonly #options: WarmDecoderOptions;
  readonly #oneShot: OneShotDecoder;
  readonly #free: Slot[];
  readonly #waiting: ((slot: Slot) => void)[] = [];
  #canStayLoaded: boolean;
  #starts = 0;

  constructor(options: WarmDecoderOptions) {
    this.#options = options;
    this.#oneShot = new OneShotDecoder(options);
    this.#free = Array.from({ length: options.slots }, () => ({ server: null, pictures: 0 }));
    this.#canStayLoaded = options.pool.hasPictureServer;
  }

  /** Servers started so far; 0 where there can be none. */
  get starts(): number {
    return this.#starts;
  }

  /** Loads one server, so that the first picture does not wait for it. Never rejects. */
  async warmUp(): Promise<void> {
    const slot = this.#free.pop();
    if (slot === undefined) return;
    try {
      if (this.#canStayLoaded) await this.#serverOf(slot);
    } catch (error) {
      this.#options.log.debug({ err: toGatewayError(error) }, 'picture server not started');
    } finally {
      this.#giveBack(slot);
    }
  }

  get makesJpeg(): boolean {
    return this.#oneShot.makesJpeg;
  }

  async decode(frame: CodedFrame, wish: PictureWish): Promise<DecodedPicture> {
    const slot = this.#free.pop() ?? (await this.#nextFree());
    try {
      const server = this.#canStayLoaded ? await this.#serverOf(slot) : null;
      return server === null
        ? await this.#oneShot.decode(frame, wish)
        : await this.#decodeWarm(slot, server, frame, wish);
    } finally {
      this.#giveBack(slot);
    }
  }

  async #decodeWarm(
    slot: Slot,
    server: PictureServer,
    frame: CodedFrame,
    wish: PictureWish,
  ): Promise<DecodedPicture> {
    const { line, widthPx, heightPx, minBytes, maxBytes, check } = decodingOf(
      frame,
      wish,
      this.#options.binary.major,
    );
    slot.pictures++;
    const made = await server.make({
      ...{ args: line.args, frame: frame.fmp4, minBytes, maxBytes },
      timeoutMs: DECODE_TIMEOUT_MS,
    });
    const bytes = check(made);
    if (bytes !== null) return { bytes, widthPx, heightPx };
    throw new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_PICTURE, { receivedBytes: made.length });
  }

  /** null: this ffmpeg cannot stay loaded. */
  async #serverOf(slot: Slot): Promise<PictureServer | null> {
    if (slot.server?.isUsable && slot.pictures < MAX_PICTURES_PER_SERVER) return slot.server;
    await slot.server?.close();
    slot.server = null;
    slot.pictures = 0;
    try {
      slot.server = await PictureServer.start(this.#options);
      this.#starts++;
    } catch (error) {
      // Only the first one says what this ffmpeg can do: a later one may have lacked memory or time.
      if (this.#starts > 0 || toGatewayError(error).code !== FFMPEG_ERRORS.FFMPEG_NO_PICTURE_SERVER.code) {
        throw error;
      }
      this.#canStayLoaded = false;
      this.#options.log.info({ path: this.#options.binary.path }, 'ffmpeg is started for each still image');
    }
    return slot.server;
  }

  #nextFree(): Promise<Slot> {
    if (this.#waiting.length >= MAX_WAITING_PICTURES) {
      const context = { reason: 'too many pictures wait', retryAfterSec: 1 };
      return Promise.reject(new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, context));
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }
}
