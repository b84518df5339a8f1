import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import type { KeyFrame, LiveCamera } from '../stream/media/live-media.ts';
import {
  type DecodedPicture,
  decodedSize,
  type PictureDecoder,
  type PictureRequest,
} from './picture-decoder.ts';
import {
  FIRST_FAILURE_PAUSE_MS,
  LONG_STILL_MS,
  MAX_CACHED_STILLS,
  MAX_WAITING_PER_CAMERA,
  MIN_FRAME_INTERVAL_MS,
  type StillRequest,
  Stills,
  stillWidthPx,
} from './stills.ts';

const JPEG: StillRequest = {
  widthPx: 640,
  format: 'jpeg',
  qualityPercent: null,
  crop: null,
  downscaleFactor: 1,
};

class StillCamera implements Partial<LiveCamera> {
  readonly uuid: Ruuid = newRuuid();
  readonly name = 'Lobby';
  frame: KeyFrame | null = null;
  requestedWidthPx: number | undefined;

  keyFrame(widthPx?: number): KeyFrame | null {
    this.requestedWidthPx = widthPx;
    return this.frame;
  }

  show(atEpochMs: number, color = 200): void {
    this.frame = { fmp4: [Buffer.from([color])], widthPx: 1_920, heightPx: 1_080, atEpochMs };
  }
}

/** Makes pictures of one color: the frame's first byte. 0 cannot be decoded. */
class FakeDecoder implements PictureDecoder {
  readonly requests: PictureRequest[] = [];
  /** Pictures wait for it. */
  gate: Promise<void> = Promise.resolve();
  isFull = false;
  makesJpeg = false;

  async decode(frame: KeyFrame, wanted: PictureRequest): Promise<DecodedPicture> {
    this.requests.push(wanted);
    await this.gate;
    if (this.isFull) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL);
    const color = frame.fmp4[0]![0]!;
    if (color === 0) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_PICTURE);
    const size = decodedSize(frame.widthPx, frame.heightPx, wanted);
    return { bytes: Buffer.alloc(size.widthPx * size.heightPx * 3, color), ...size };
  }
}

function setup() {
  const clock = new FakeClock();
  const decoder = new FakeDecoder();
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, message: string) => void warnings.push(message) };
  const stills = new Stills({ decoder, clock, log });
  const camera = new StillCamera();
  const take = (wanted: Partial<StillRequest> = {}, of = camera) =>
    stills.still(of as unknown as LiveCamera, { ...JPEG, ...wanted });
  return { clock, decoder, warnings, stills, camera, take };
}

describe('Stills', () => {
  it('have nothing to show of a camera without a key frame', async () => {
    const { take, decoder } = setup();
    expect(await take()).toBeNull();
    expect(decoder.requests).toEqual([]);
  });

  it.each([['jpeg'], ['webp'], ['avif']] as const)('come as %s', async (format) => {
    const { take, camera } = setup();
    camera.show(1);
    const still = (await take({ format }))!;
    const { format: made, width, height } = await sharp(still.bytes).metadata();
    expect([made, width, height]).toEqual([format === 'avif' ? 'heif' : format, 640, 360]);
    const { dominant } = await sharp(still.bytes).stats();
    expect(Math.abs(dominant.g - 200)).toBeLessThan(16);
    expect(still).toMatchObject({ format, widthPx: 640, heightPx: 360, takenAtEpochMs: 1 });
  });

  it('are the JPEGs that the decoder makes, where it can, of their quality', async () => {
    const { take, camera, decoder } = setup();
    decoder.makesJpeg = true;
    camera.show(1);
    const { bytes } = (await take())!;
    expect(bytes.equals(Buffer.alloc(640 * 360 * 3, 200))).toBe(true);
    await take({ qualityPercent: 30 });
    expect((await take({ format: 'webp' }))!.bytes.toString('latin1', 8, 12)).toBe('WEBP');
    expect(decoder.requests.map(({ jpegQualityPercent }) => jpegQualityPercent)).toEqual([75, 30, undefined]);
  });

  it('are made once, however many ask at the same time and later', async () => {
    const { stills, take, camera, decoder } = setup();
    camera.show(1);
    const all = await Promise.all(Array.from({ length: 20 }, () => take()));
    expect(new Set(all).size).toBe(1);
    expect(await take()).toBe(all[0]);
    expect(decoder.requests).toHaveLength(1);
    expect(stills.counts).toMatchObject({ made: 1, shared: 20, failed: 0 });
  });

  it('are made of the newest frame, at most one a second', async () => {
    const { take, camera, clock, decoder } = setup();
    camera.show(1);
    const first = await take();
    camera.show(2);
    expect(await take()).toBe(first);
    clock.advance(MIN_FRAME_INTERVAL_MS);
    expect(await take()).toMatchObject({ takenAtEpochMs: 2 });
    expect(decoder.requests).toHaveLength(2);
  });

  it('have a width of a short list, so that no one can have a thousand made', async () => {
    const { take, camera, decoder } = setup();
    camera.show(1);
    const widths = Array.from({ length: 2_000 }, (_, index) => index + 1);
    for (const widthPx of widths) await take({ widthPx });
    expect(new Set(decoder.requests.map(({ maxWidthPx }) => maxWidthPx))).toEqual(
      new Set([160, 320, 480, 640, 960, 1_280, 1_920]),
    );
    // 1,920 and above are the frame's own size.
    expect(decoder.requests.length).toBeLessThanOrEqual(8);
  });

  it('are cropped and divided', async () => {
    const { take, camera, decoder } = setup();
    camera.show(1);
    const crop = { xPermyriad: 0, yPermyriad: 0, widthPermyriad: 5_000, heightPermyriad: 5_000 };
    expect(await take({ widthPx: null, crop, downscaleFactor: 4 })).toMatchObject({
      widthPx: 240,
      heightPx: 135,
    });
    expect(decoder.requests).toEqual([{ maxWidthPx: 240, crop }]);
    // The largest stream is used: otherwise the part would be enlarged.
    expect(camera.requestedWidthPx).toBe(3_840);
  });

  it('fall back to the last frame that could be decoded, with its own time, and say so once', async () => {
    const { take, camera, clock, decoder, warnings } = setup();
    camera.show(1);
    const good = await take();
    clock.advance(MIN_FRAME_INTERVAL_MS);
    camera.show(2, 0);
    expect(await take()).toBe(good);
    expect(await take()).toBe(good);
    expect([decoder.requests.length, warnings]).toEqual([2, ['still image not available']]);
    clock.advance(FIRST_FAILURE_PAUSE_MS);
    camera.show(3);
    expect(await take()).toMatchObject({ takenAtEpochMs: 3 });
  });

  it('fail if no frame could be decoded, and the decoder is not asked again too soon', async () => {
    const { take, camera, clock, decoder } = setup();
    for (let atEpochMs = 1; atEpochMs <= 10; atEpochMs++) {
      camera.show(atEpochMs, 0);
      await expect(take()).rejects.toMatchObject({ code: 'FFMPEG_BAD_PICTURE' });
      clock.advance(MIN_FRAME_INTERVAL_MS);
    }
    // 3 s, then 6 s.
    expect(decoder.requests).toHaveLength(3);
  });

  it('fail if too many are made, which says nothing about the frame', async () => {
    const { take, camera, decoder, warnings } = setup();
    camera.show(1);
    decoder.isFull = true;
    await expect(take()).rejects.toMatchObject({ code: 'FFMPEG_POOL_FULL' });
    decoder.isFull = false;
    expect(await take()).toMatchObject({ takenAtEpochMs: 1 });
    expect(warnings).toEqual([]);
  });

  it('of one camera wait for each other, and only so many of them', async () => {
    const { take, camera, decoder } = setup();
    camera.show(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    decoder.gate = promise;
    const requested = Array.from({ length: MAX_WAITING_PER_CAMERA + 1 }, (_, quality) =>
      take({ qualityPercent: quality + 1 }),
    );
    await expect(requested.at(-1)).rejects.toMatchObject({ code: 'FFMPEG_POOL_FULL' });
    // Another camera is not held up.
    const other = new StillCamera();
    other.show(1);
    const others = take({}, other);
    await eventuallyEqual(() => decoder.requests.length, 2);
    resolve();
    await Promise.all([...requested.slice(0, -1), others]);
    expect(decoder.requests).toHaveLength(MAX_WAITING_PER_CAMERA + 1);
  });

  it('of one camera pause as long as a long one took', async () => {
    const { take, camera, decoder, clock } = setup();
    camera.show(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    decoder.gate = promise;
    const long = take({ format: 'avif' });
    await eventuallyEqual(() => decoder.requests.length, 1);
    clock.advance(LONG_STILL_MS + 1);
    resolve();
    await long;
    const next = take();
    const other = new StillCamera();
    other.show(1);
    await take({}, other);
    expect(decoder.requests).toHaveLength(2);
    clock.advance(LONG_STILL_MS);
    await take({}, other);
    expect(decoder.requests).toHaveLength(2);
    clock.advance(1);
    await next;
    // A short one is followed by none.
    await take({ qualityPercent: 30 });
    expect(decoder.requests).toHaveLength(4);
  });

  it('are kept up to a number, the most recently requested', async () => {
    const { take, stills, decoder } = setup();
    const cameras = Array.from({ length: MAX_CACHED_STILLS + 1 }, () => new StillCamera());
    for (const each of cameras) {
      each.frame = { fmp4: [Buffer.from([9])], widthPx: 8, heightPx: 8, atEpochMs: 1 };
      await take({}, each);
    }
    const made = decoder.requests.length;
    await take({}, cameras.at(-1)!);
    expect(decoder.requests).toHaveLength(made);
    await take({}, cameras[0]!);
    expect(decoder.requests).toHaveLength(made + 1);
    const bytes = stills.cachedBytes;
    stills.forget(cameras.at(-1)!.uuid);
    expect(stills.cachedBytes).toBeLessThan(bytes);
  });

  it('of a camera that was deleted while one was made are not kept', async () => {
    const { take, stills, camera, decoder } = setup();
    camera.show(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    decoder.gate = promise;
    const requested = take();
    stills.forget(camera.uuid);
    resolve();
    await requested;
    expect(stills.cachedBytes).toBe(0);
  });
});

it.each([
  [null, 3_840],
  [1, 160],
  [160, 160],
  [161, 320],
  [1_921, 2_560],
  [9_999, 3_840],
])('stillWidthPx(%s) is %i', (requested, widthPx) => {
  expect(stillWidthPx(requested)).toBe(widthPx);
});

describe('stills of a camera that sends JPEGs', () => {
  const FRAME: KeyFrame = {
    fmp4: [Buffer.from([200])],
    jpeg: Buffer.from('the picture'),
    widthPx: 640,
    heightPx: 360,
    atEpochMs: 5,
  };

  it.each([640, 1_280, null])('are its pictures as they are (%s)', async (widthPx) => {
    const { camera, take, decoder } = setup();
    camera.frame = FRAME;
    const still = await take({ widthPx });
    expect(still).toMatchObject({ bytes: FRAME.jpeg, widthPx: 640, heightPx: 360, takenAtEpochMs: 5 });
    expect(decoder.requests).toEqual([]);
  });

  it.each<[string, Partial<StillRequest>]>([
    ['smaller', { widthPx: 320 }],
    ['half as large', { downscaleFactor: 2 }],
    ['in another format', { format: 'webp' }],
    ['of another quality', { qualityPercent: 90 }],
    ['a part', { crop: { xPermyriad: 0, yPermyriad: 0, widthPermyriad: 5_000, heightPermyriad: 5_000 } }],
  ])('are decoded when asked for %s', async (_what, wanted) => {
    const { camera, take, decoder } = setup();
    camera.frame = FRAME;
    expect((await take(wanted))!.bytes.equals(FRAME.jpeg!)).toBe(false);
    expect(decoder.requests).toHaveLength(1);
  });

  it('are decoded when they are larger than any still', async () => {
    const { camera, take, decoder } = setup();
    camera.frame = { ...FRAME, widthPx: 3_840, heightPx: 3_840 };
    expect((await take({ widthPx: null }))!.widthPx).toBeLessThan(3_840);
    expect(decoder.requests).toHaveLength(1);
  });
});
