/**
 * Decodes key frames with ffmpegs that stay loaded (src/ffmpeg/picture-server.ts), one per slot. A server that a frame
 * broke is replaced, never repaired. Where there can be none (an ffmpeg linked statically, no launcher), each picture
 * gets its own ffmpeg, as before.
 */

import { GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
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
  type PictureRequest,
  type PictureTurn,
  type TileRequest,
} from './picture-decoder.ts';

/** After this many, a server is replaced: its memory layout is the same for all of its pictures. */
const MAX_PICTURES_PER_SERVER = 10_000;

export interface WarmDecoderOptions extends DecoderOptions {
  /** Servers, each a process of about 30 MB. The pool must have as many workers. */
  readonly slots: number;
  readonly log: Log;
}

/** Before there is anyone. */
const NOBODY: PictureTurn = { organization: '', camera: '' };

interface Slot {
  /** null: none yet, or the last one is gone. */
  server: PictureServer | null;
  pictures: number;
}

export class WarmDecoder implements PictureDecoder {
  readonly #options: WarmDecoderOptions;
  readonly #oneShot: OneShotDecoder;
  readonly #free: Slot[];
  readonly #queue: FairQueue;
  #canStayLoaded: boolean;
  #starts = 0;

  constructor(options: WarmDecoderOptions) {
    this.#options = options;
    this.#oneShot = new OneShotDecoder(options);
    this.#free = Array.from({ length: options.slots }, () => ({ server: null, pictures: 0 }));
    const { slots: places } = options;
    this.#queue = new FairQueue({ ...queueOptionsOf(LIMITS.stillPictures), places, placesOfGroup: places });
    this.#canStayLoaded = options.pool.hasPictureServer;
  }

  /** Servers started so far; 0 where there can be none. */
  get starts(): number {
    return this.#starts;
  }

  /** Loads one server, so that the first picture does not wait for it. Never rejects. */
  async warmUp(): Promise<void> {
    try {
      await this.#inSlot(NOBODY, async (slot) => {
        if (this.#canStayLoaded) await this.#serverOf(slot);
      });
    } catch (error) {
      this.#options.log.debug({ err: toGatewayError(error) }, 'picture server not started');
    }
  }

  get makesJpeg(): boolean {
    return this.#oneShot.makesJpeg;
  }

  async decode(
    frame: CodedFrame,
    wanted: PictureRequest | TileRequest,
    turn = NOBODY,
  ): Promise<DecodedPicture> {
    return this.#inSlot(turn, async (slot) => {
      const server = this.#canStayLoaded ? await this.#serverOf(slot) : null;
      return server === null
        ? this.#oneShot.decode(frame, wanted)
        : this.#decodeWarm(slot, server, frame, wanted);
    });
  }

  /** There are as many slots as places. Fails FFMPEG_POOL_FULL. */
  async #inSlot<T>({ organization, camera }: PictureTurn, work: (slot: Slot) => Promise<T>): Promise<T> {
    const outcome = await this.#queue.run({ group: organization, member: camera }, async () => {
      const slot = this.#free.pop()!;
      try {
        return { made: await work(slot) };
      } finally {
        this.#free.push(slot);
      }
    });
    if (outcome !== null) return outcome.made;
    const context = { reason: 'too many pictures wait', retryAfterSec: 1 };
    throw new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, context);
  }

  async #decodeWarm(
    slot: Slot,
    server: PictureServer,
    frame: CodedFrame,
    wanted: PictureRequest | TileRequest,
  ): Promise<DecodedPicture> {
    const { line, widthPx, heightPx, minBytes, maxBytes, check } = decodingOf(
      frame,
      wanted,
      this.#options.binary.major,
    );
    slot.pictures++;
    const made = await server.make({
      args: line.args,
      frame: frame.fmp4,
      minBytes,
      maxBytes,
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
}
