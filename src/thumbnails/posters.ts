/**
 * Still images of live cameras, for the viewer page and for lists of cameras. A camera's newest key frame is
 * decoded in a jail at most once every few seconds, no matter who asks, and all sizes are made from it at once.
 * sharp only ever sees the decoder's RGB bytes, never the camera's.
 */

import sharp from 'sharp';
import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { KeyFrame, LiveCamera } from '../stream/live-media.ts';
import { type DecoderOptions, decodeKeyFrame, RGB_BYTES, type RgbPicture } from './picture-decoder.ts';

export const POSTER_WIDTHS_PX = [320, 640, 1280] as const;
export type PosterWidthPx = (typeof POSTER_WIDTHS_PX)[number];

/** Shortest time between two decodings per camera. */
export const MIN_DECODE_INTERVAL_MS = 3_000;
/** Cameras whose images are kept, most recently requested: about 200 KB each. */
export const MAX_CACHED_CAMERAS = 256;
const JPEG_QUALITY = 75;

export interface PostersOptions extends DecoderOptions {
  readonly clock: Clock;
  readonly log: Log;
}

interface CachedPosters {
  /** Of the key frame they show; null if none could be decoded yet. */
  readonly keyFrameEpochMs: number | null;
  readonly pictures: ReadonlyMap<PosterWidthPx, Buffer>;
  readonly triedMonoMs: number;
}

const NO_PICTURES: ReadonlyMap<PosterWidthPx, Buffer> = new Map();

export class Posters {
  readonly #options: PostersOptions;
  /** In the order of their last request. */
  readonly #cache = new Map<Ruuid, CachedPosters>();
  readonly #decoding = new Map<Ruuid, Promise<CachedPosters>>();

  constructor(options: PostersOptions) {
    this.#options = options;
    // Decoding one image at a time keeps the other cores for the cameras.
    sharp.concurrency(1);
    sharp.cache(false);
  }

  /**
   * A JPEG of the newest key frame, at most `widthPx` wide and in the camera's own shape; it may be a few seconds
   * old. null if the camera has shown no video yet, or no frame that could be decoded. Never rejects; all callers
   * share the Buffer.
   */
  async poster(camera: LiveCamera, widthPx: PosterWidthPx): Promise<Buffer | null> {
    const frame = camera.keyFrame();
    const cached = this.#touch(camera.uuid);
    if (frame === null || this.#isFresh(cached, frame)) return cached?.pictures.get(widthPx) ?? null;
    const posters = await this.#decodeOnce(camera, frame);
    return posters.pictures.get(widthPx) ?? null;
  }

  /** The camera was deleted: its images go too. */
  forget(cameraUuid: Ruuid): void {
    this.#cache.delete(cameraUuid);
  }

  /** Moves the entry to the end of the line for removal. */
  #touch(cameraUuid: Ruuid): CachedPosters | undefined {
    const cached = this.#cache.get(cameraUuid);
    if (cached === undefined) return undefined;
    this.#cache.delete(cameraUuid);
    this.#cache.set(cameraUuid, cached);
    return cached;
  }

  #isFresh(cached: CachedPosters | undefined, frame: KeyFrame): boolean {
    if (cached === undefined) return false;
    if (cached.keyFrameEpochMs === frame.atEpochMs) return true;
    return this.#options.clock.monoMs() - cached.triedMonoMs < MIN_DECODE_INTERVAL_MS;
  }

  #decodeOnce(camera: LiveCamera, frame: KeyFrame): Promise<CachedPosters> {
    const { uuid } = camera;
    const running = this.#decoding.get(uuid);
    if (running !== undefined) return running;
    const decoding = this.#decode(camera, frame).finally(() => this.#decoding.delete(uuid));
    this.#decoding.set(uuid, decoding);
    return decoding;
  }

  /** A failure keeps the previous images and counts as an attempt. */
  async #decode({ uuid, name }: LiveCamera, frame: KeyFrame): Promise<CachedPosters> {
    const triedMonoMs = this.#options.clock.monoMs();
    const before = this.#cache.get(uuid);
    let posters: CachedPosters;
    try {
      const picture = await decodeKeyFrame(frame, this.#options);
      posters = { keyFrameEpochMs: frame.atEpochMs, pictures: await renderAll(picture), triedMonoMs };
    } catch (error) {
      this.#options.log.warn({ camera: uuid, name, error: toGatewayError(error) }, 'poster not available');
      const { keyFrameEpochMs = null, pictures = NO_PICTURES } = before ?? {};
      posters = { keyFrameEpochMs, pictures, triedMonoMs };
    }
    this.#store(uuid, posters);
    return posters;
  }

  #store(cameraUuid: Ruuid, posters: CachedPosters): void {
    this.#cache.delete(cameraUuid);
    this.#cache.set(cameraUuid, posters);
    if (this.#cache.size <= MAX_CACHED_CAMERAS) return;
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined) this.#cache.delete(oldest);
  }
}

/** Sizes larger than the image share the one with its own size. */
async function renderAll(picture: RgbPicture): Promise<Map<PosterWidthPx, Buffer>> {
  const pictures = new Map<PosterWidthPx, Buffer>();
  let ownSize: Buffer | null = null;
  for (const widthPx of POSTER_WIDTHS_PX) {
    const isOwnSize = widthPx >= picture.widthPx;
    const rendered: Buffer = ownSize ?? (await render(picture, widthPx));
    if (isOwnSize) ownSize = rendered;
    pictures.set(widthPx, rendered);
  }
  return pictures;
}

function render(picture: RgbPicture, widthPx: number): Promise<Buffer> {
  const raw = { width: picture.widthPx, height: picture.heightPx, channels: RGB_BYTES } as const;
  return sharp(picture.bytes, { raw })
    .resize({ width: Math.min(widthPx, picture.widthPx) })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer();
}
