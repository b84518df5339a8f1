/**
 * Still images of cameras, from their newest key frames. Each (camera, key frame, size, crop, quality, format) is made
 * once, however many ask for it at the same time, and kept for a short time (docs/design/stills.md).
 */

import { createHash } from 'node:crypto';
import { type BackoffLimits, doubledMs } from '../core/backoff.ts';
import { type Clock, pause } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { PictureCrop } from '../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import type { KeyFrame, LiveCamera } from '../stream/media/live-media.ts';
import {
  type CodedFrame,
  decodedSize,
  MAX_DECODED_WIDTH_PX,
  type PictureDecoder,
  type PictureTurn,
} from './picture-decoder.ts';
import { DEFAULT_QUALITY, encodeStill, type StillFormat } from './still-format.ts';

/** Available widths. Others are rounded up, so that a client cannot request a thousand sizes of one frame. */
export const STILL_WIDTHS_PX = [160, 320, 480, 640, 960, 1_280, 1_920, 2_560, MAX_DECODED_WIDTH_PX] as const;
/** Shortest time between two key frames of one camera that stills are made of. */
export const MIN_FRAME_INTERVAL_MS = 1_000;
/** Stills kept, most recently requested, and their bytes. */
export const MAX_CACHED_STILLS = 1_024;
export const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Stills of one camera that wait for each other: one link must not keep the decoders from the other cameras. */
export const MAX_WAITING_PER_CAMERA = 8;
/**
 * A still that takes longer (a large AVIF takes a second of a core) is followed by a pause of the same length. So the owner
 * of one link cannot keep a core busy.
 */
export const LONG_STILL_MS = 200;
const MAX_PAUSE_MS = 2_000;
/** Cameras whose chosen frame is remembered, and kinds of stills of each. */
const MAX_CAMERAS = 4_096;
const MAX_KINDS_PER_CAMERA = 32;
/** A frame that could not be decoded is not tried again; the camera's next one only after this time. */
export const FIRST_FAILURE_PAUSE_MS = 3_000;
const FAILURE_PAUSES: BackoffLimits = { firstMs: FIRST_FAILURE_PAUSE_MS, lastMs: 60_000 };
const MS_PER_SEC = 1_000;
/** In place of a camera: the examined stream may not be one yet. */
const EXAMINED = 'examined';

export interface StillRequest {
  /** At most; null: the camera's own width. */
  readonly widthPx: number | null;
  readonly format: StillFormat;
  /** 1 to 100; null: the format's default. */
  readonly qualityPercent: number | null;
  readonly crop: PictureCrop | null;
  /** The width and height are divided by it: a whole number from 1. */
  readonly downscaleFactor: number;
}

export interface Still {
  /** Shared with all who asked: not to be changed. */
  readonly bytes: Buffer;
  readonly format: StillFormat;
  readonly widthPx: number;
  readonly heightPx: number;
  /** When the camera took it, by the gateway's clock. */
  readonly takenAtEpochMs: number;
  /** A digest of the bytes: two stills with the same one are the same. */
  readonly digest: string;
}

export interface StillsOptions {
  readonly decoder: PictureDecoder;
  /** The organization of a camera; null: not known. */
  readonly organizationOf?: (cameraUuid: Ruuid) => string | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** The key frame that stills of a camera are made of now. */
interface ChosenFrame {
  readonly frame: KeyFrame;
  readonly chosenMonoMs: number;
}

interface CameraStills {
  /** By requested width, because a small still may come from the substream. */
  readonly chosen: Map<number, ChosenFrame>;
  /** By request: the key of the last still that could be made, as long as the cache has it. */
  readonly last: Map<string, string>;
  /** Ends when the last one in line does. */
  line: Promise<unknown>;
  waiting: number;
  failures: number;
  retryMonoMs: number;
  failedAtEpochMs: number;
}

/** Outcomes of requests for stills; used for metrics. */
export interface StillCounts {
  made: number;
  failed: number;
  /** Answered with one that existed already, or that someone else waited for. */
  shared: number;
  /** Time from the request to the image, over all stills that were made. */
  makingSec: number;
}

export class Stills {
  readonly #options: StillsOptions;
  /** In the order of the last request. */
  readonly #cameras = new Map<Ruuid, CameraStills>();
  readonly #cache = new Map<string, Still>();
  readonly #making = new Map<string, Promise<Still>>();
  readonly #makingPast = new Map<string, Promise<Still | null>>();
  readonly #counts: StillCounts = { made: 0, failed: 0, shared: 0, makingSec: 0 };
  #cachedBytes = 0;

  constructor(options: StillsOptions) {
    this.#options = options;
  }

  /**
   * The newest key frame as an image; up to MIN_FRAME_INTERVAL_MS older than the newest. null if the camera has shown no
   * video yet. If the newest frame cannot be decoded: the last one that could, with its own time. Fails FFMPEG_POOL_FULL
   * if too many are being made, FFMPEG_BAD_PICTURE, FFMPEG_PICTURE_TIMEOUT, or like starting a worker.
   */
  async still(camera: LiveCamera, requested: StillRequest): Promise<Still | null> {
    const wanted = { ...requested, widthPx: stillWidthPx(requested.widthPx) };
    const newest = camera.keyFrame(wanted.crop === null ? wanted.widthPx : MAX_DECODED_WIDTH_PX);
    if (newest === null) return null;
    const state = this.#stateOf(camera.uuid);
    const frame = this.#choose(state, newest, wanted.widthPx);
    const key = `${camera.uuid} ${frame.atEpochMs} ${frame.widthPx} ${requestKey(wanted)}`;
    const cached = this.#touch(key);
    const running = cached === undefined ? this.#making.get(key) : undefined;
    if (cached !== undefined || running !== undefined) {
      this.#counts.shared++;
      return cached ?? running!;
    }
    const making = this.#makeOrLast(camera, state, frame, wanted, key).finally(() =>
      this.#making.delete(key),
    );
    this.#making.set(key, making);
    return making;
  }

  /**
   * A frame of the past as an image. `find` is called when it is the camera's turn, and says which frame; null: there is
   * none. Calls with the same `name` and wish get the same image. Fails like `still`, and like `find`.
   */
  async pastStill(
    cameraUuid: Ruuid,
    name: string,
    requested: StillRequest,
    find: () => Promise<CodedFrame | null>,
  ): Promise<Still | null> {
    const wanted = { ...requested, widthPx: stillWidthPx(requested.widthPx) };
    const key = `${cameraUuid} past ${name} ${requestKey(wanted)}`;
    const cached = this.#touch(key);
    const running = cached === undefined ? this.#makingPast.get(key) : undefined;
    if (cached !== undefined || running !== undefined) {
      this.#counts.shared++;
      return cached ?? running!;
    }
    const making = this.#makePast(cameraUuid, key, wanted, find).finally(() => this.#makingPast.delete(key));
    this.#makingPast.set(key, making);
    return making;
  }

  async #makePast(
    cameraUuid: Ruuid,
    key: string,
    wanted: ResolvedRequest,
    find: () => Promise<CodedFrame | null>,
  ): Promise<Still | null> {
    const state = this.#stateOf(cameraUuid);
    const startMonoMs = this.#options.clock.monoMs();
    try {
      const still = await this.#inLine(state, async () => {
        const frame = await find();
        return frame === null ? null : this.#make(frame, wanted, this.#turnOf(cameraUuid));
      });
      if (still === null) return null;
      this.#counts.made++;
      this.#counts.makingSec += (this.#options.clock.monoMs() - startMonoMs) / MS_PER_SEC;
      if (this.#cameras.get(cameraUuid) === state) this.#keep(key, still);
      return still;
    } catch (thrown) {
      this.#counts.failed++;
      throw thrown;
    }
  }

  /**
   * A frame of a camera that an organization has examined, as a JPEG of at most this width, which is not kept; null: too many
   * are being made, or it cannot be decoded. Examinations are limited before (LIMITS.cameraExaminations).
   */
  async unkeptJpeg(organization: string, frame: CodedFrame, widthPx: number): Promise<Still | null> {
    try {
      const wanted = { format: 'jpeg', qualityPercent: null, crop: null, downscaleFactor: 1 } as const;
      const turn = { organization, camera: EXAMINED };
      return await this.#make(frame, { ...wanted, widthPx: stillWidthPx(widthPx) }, turn);
    } catch (thrown) {
      this.#options.log.debug({ err: toGatewayError(thrown) }, 'still image of a probe not available');
      return null;
    }
  }

  /** The camera was deleted: its images go too. */
  forget(cameraUuid: Ruuid): void {
    this.#cameras.delete(cameraUuid);
    for (const [key, still] of this.#cache) if (key.startsWith(`${cameraUuid} `)) this.#drop(key, still);
  }

  get counts(): Readonly<StillCounts> {
    return this.#counts;
  }

  /** Used for metrics and tests. */
  get cachedBytes(): number {
    return this.#cachedBytes;
  }

  async #makeOrLast(
    camera: LiveCamera,
    state: CameraStills,
    frame: KeyFrame,
    wanted: ResolvedRequest,
    key: string,
  ): Promise<Still> {
    const last = this.#touch(state.last.get(requestKey(wanted)) ?? '');
    const nowMonoMs = this.#options.clock.monoMs();
    const isPaused = state.failures > 0 && nowMonoMs < state.retryMonoMs;
    if (isPaused || (state.failures > 0 && state.failedAtEpochMs === frame.atEpochMs)) {
      if (last !== undefined) return last;
      throw new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_PICTURE, { failures: state.failures });
    }
    const startMonoMs = this.#options.clock.monoMs();
    try {
      const still = await this.#inLine(state, () => this.#make(frame, wanted, this.#turnOf(camera.uuid)));
      this.#counts.made++;
      this.#counts.makingSec += (this.#options.clock.monoMs() - startMonoMs) / MS_PER_SEC;
      state.failures = 0;
      this.#store(camera.uuid, state, { key, kind: requestKey(wanted), still });
      return still;
    } catch (thrown) {
      const error = toGatewayError(thrown);
      this.#counts.failed++;
      // Too many asked: that says nothing about the frame.
      if (error.code === FFMPEG_ERRORS.FFMPEG_POOL_FULL.code) throw error;
      this.#failed(camera, state, frame, error);
      if (last === undefined) throw error;
      return last;
    }
  }

  #turnOf(cameraUuid: Ruuid): PictureTurn {
    return { organization: this.#options.organizationOf?.(cameraUuid) ?? cameraUuid, camera: cameraUuid };
  }

  async #make(frame: CodedFrame, wanted: ResolvedRequest, turn: PictureTurn): Promise<Still> {
    const { crop, format, qualityPercent } = wanted;
    const full = decodedSize(frame.widthPx, frame.heightPx, { maxWidthPx: wanted.widthPx, crop });
    const maxWidthPx = Math.max(1, Math.round(full.widthPx / wanted.downscaleFactor));
    if (frame.jpeg !== undefined && isAsItIs(frame, wanted, full))
      return stillOf(frame.jpeg, 'jpeg', frame, full);
    const { decoder } = this.#options;
    const quality = qualityPercent ?? DEFAULT_QUALITY[format];
    const isMade = format === 'jpeg' && decoder.makesJpeg;
    const part = { maxWidthPx, crop, ...(isMade ? { jpegQualityPercent: quality } : {}) };
    const picture = await decoder.decode(frame, part, turn);
    const bytes = isMade ? picture.bytes : await encodeStill(picture, format, quality);
    return stillOf(bytes, format, frame, picture);
  }

  /** One at a time per camera, and half of the time after long ones. */
  async #inLine<T>(state: CameraStills, work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    if (state.waiting >= MAX_WAITING_PER_CAMERA) {
      const context = { reason: 'too many stills of this camera', retryAfterSec: 1 };
      throw new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL, context);
    }
    state.waiting++;
    let startMonoMs = clock.monoMs();
    const done = state.line.then(() => {
      startMonoMs = clock.monoMs();
      return work();
    });
    state.line = done
      .catch(() => undefined)
      .then(() => {
        const tookMs = clock.monoMs() - startMonoMs;
        if (tookMs <= LONG_STILL_MS) return;
        return pause(clock, Math.min(MAX_PAUSE_MS, tookMs));
      });
    try {
      return await done;
    } finally {
      state.waiting--;
    }
  }

  #failed(camera: LiveCamera, state: CameraStills, frame: KeyFrame, error: GatewayError): void {
    const pauseMs = doubledMs(FAILURE_PAUSES, ++state.failures);
    state.failedAtEpochMs = frame.atEpochMs;
    state.retryMonoMs = this.#options.clock.monoMs() + pauseMs;
    const { uuid, name } = camera;
    this.#options.log.warn({ camera: uuid, name, error, retryMs: pauseMs }, 'still image not available');
  }

  #choose(state: CameraStills, newest: KeyFrame, widthPx: number): KeyFrame {
    const nowMonoMs = this.#options.clock.monoMs();
    const chosen = state.chosen.get(widthPx);
    if (chosen !== undefined && nowMonoMs - chosen.chosenMonoMs < MIN_FRAME_INTERVAL_MS) return chosen.frame;
    // An older frame must not stay in memory because of a size that was requested once.
    for (const [width, { chosenMonoMs }] of state.chosen) {
      if (nowMonoMs - chosenMonoMs >= MIN_FRAME_INTERVAL_MS) state.chosen.delete(width);
    }
    state.chosen.set(widthPx, { frame: newest, chosenMonoMs: nowMonoMs });
    return newest;
  }

  /** Moves the camera to the end of the line for removal. */
  #stateOf(cameraUuid: Ruuid): CameraStills {
    const state: CameraStills = this.#cameras.get(cameraUuid) ?? {
      chosen: new Map(),
      last: new Map(),
      line: Promise.resolve(),
      waiting: 0,
      failures: 0,
      retryMonoMs: 0,
      failedAtEpochMs: 0,
    };
    this.#cameras.delete(cameraUuid);
    this.#cameras.set(cameraUuid, state);
    if (this.#cameras.size > MAX_CAMERAS) this.#cameras.delete(this.#cameras.keys().next().value!);
    return state;
  }

  #touch(key: string): Still | undefined {
    const still = this.#cache.get(key);
    if (still === undefined) return undefined;
    this.#cache.delete(key);
    this.#cache.set(key, still);
    return still;
  }

  /** A camera that was deleted in the meantime stays forgotten. */
  #store(
    cameraUuid: Ruuid,
    state: CameraStills,
    { key, kind, still }: { key: string; kind: string; still: Still },
  ): void {
    if (this.#cameras.get(cameraUuid) !== state) return;
    if (state.last.size >= MAX_KINDS_PER_CAMERA) state.last.delete(state.last.keys().next().value!);
    state.last.set(kind, key);
    this.#keep(key, still);
  }

  #keep(key: string, still: Still): void {
    this.#cache.set(key, still);
    this.#cachedBytes += still.bytes.length;
    for (const [oldest, dropped] of this.#cache) {
      if (this.#cache.size <= MAX_CACHED_STILLS && this.#cachedBytes <= MAX_CACHED_BYTES) return;
      this.#drop(oldest, dropped);
    }
  }

  #drop(key: string, still: Still): void {
    if (this.#cache.delete(key)) this.#cachedBytes -= still.bytes.length;
  }
}

type ResolvedRequest = StillRequest & { readonly widthPx: number };

interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

function stillOf(bytes: Buffer, format: StillFormat, { atEpochMs }: CodedFrame, size: Size): Still {
  return {
    bytes,
    format,
    widthPx: size.widthPx,
    heightPx: size.heightPx,
    takenAtEpochMs: atEpochMs,
    digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
  };
}

/** Whether a JPEG already matches the request, without decoding. `full`: the largest size that it may have. */
function isAsItIs(frame: CodedFrame, wanted: ResolvedRequest, full: Size): boolean {
  const isWhole = wanted.crop === null && wanted.downscaleFactor === 1 && full.widthPx === frame.widthPx;
  return (
    isWhole && full.heightPx === frame.heightPx && wanted.format === 'jpeg' && wanted.qualityPercent === null
  );
}

/** The next of STILL_WIDTHS_PX; null: the widest. */
export function stillWidthPx(requestedPx: number | null): number {
  if (requestedPx === null) return MAX_DECODED_WIDTH_PX;
  return STILL_WIDTHS_PX.find((widthPx) => widthPx >= requestedPx) ?? MAX_DECODED_WIDTH_PX;
}

function requestKey({ widthPx, format, qualityPercent, crop, downscaleFactor }: ResolvedRequest): string {
  const part =
    crop === null
      ? 'all'
      : `${crop.xPermyriad}+${crop.yPermyriad}+${crop.widthPermyriad}x${crop.heightPermyriad}`;
  return `${widthPx}/${downscaleFactor} ${format} ${qualityPercent ?? 'default'} ${part}`;
}
