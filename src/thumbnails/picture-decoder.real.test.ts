import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { type FfmpegBinary, findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { createJail, type Jail } from '../ffmpeg/jail.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { JpegFrame } from '../stream/pictures/still-frames.ts';
import {
  type DecoderOptions,
  OneShotDecoder,
  type PictureDecoder,
  type PictureRequest,
} from './picture-decoder.ts';
import {
  annexBOf,
  barCenters,
  codedNoise,
  codedPicture,
  colorBars,
  keyFrameOf,
  meanColor,
  redPixels,
  skippedPicture,
} from './picture-decoder-fixture.ts';
import { WarmDecoder } from './warm-decoder.ts';

const ALL: PictureRequest = { maxWidthPx: 3_840, crop: null };

let binary: FfmpegBinary;
let jail: Jail;
let pool: WorkerPool;
let red: Buffer;
let blue: Buffer;
/** Eight slices, of which the last ones are missing: decoders fill them in with what they have. */
let cutBlue: Buffer;
/** A frame that repeats the one before. */
let skipped: { annexB: Buffer; fmp4: Buffer };
const networks: string[] = [];

beforeAll(async () => {
  binary = await findFfmpeg();
  const real = await createJail();
  jail = {
    hasPictureServer: real.hasPictureServer,
    describe: () => real.describe(),
    wrap: (command, args, options) => {
      networks.push(options.network ? 'network' : 'no network');
      return real.wrap(command, args, options);
    },
  };
  pool = new WorkerPool({ maxWorkers: 4, waitTimeoutMs: 5_000, jail, clock: systemClock });
  red = codedPicture('red', 640, 360);
  blue = codedPicture('blue', 640, 360, 8);
  skipped = skippedPicture(640, 360);
  cutBlue = blue.subarray(0, blue.indexOf('mdat') + Math.round((blue.length - blue.indexOf('mdat')) / 3));
});
afterAll(() => pool.close());

const KINDS: readonly [name: string, (options: DecoderOptions) => PictureDecoder][] = [
  ['a process per picture', (options) => new OneShotDecoder(options)],
  ['ffmpegs that stay loaded', (options) => new WarmDecoder({ ...options, slots: 2, log: silentLog })],
];

describe.each(KINDS)('pictures by %s', (_name, make) => {
  let decoder: PictureDecoder;
  beforeAll(() => {
    decoder = make({ binary, pool, clock: systemClock });
  });

  it('have their own size, without network', async () => {
    networks.length = 0;
    const picture = await decoder.decode(keyFrameOf(red, 640, 360), ALL);
    expect([picture.widthPx, picture.heightPx, picture.bytes.length]).toEqual([640, 360, 640 * 360 * 3]);
    expect(redPixels(picture.bytes)).toBe(640 * 360);
    expect(networks).toEqual(['no network']);
  });

  it('are smaller if asked for, or a part', async () => {
    const small = await decoder.decode(keyFrameOf(red, 640, 360), { maxWidthPx: 320, crop: null });
    expect([small.widthPx, small.heightPx, redPixels(small.bytes)]).toEqual([320, 180, 320 * 180]);
    const crop = { xPermyriad: 5_000, yPermyriad: 2_500, widthPermyriad: 5_000, heightPermyriad: 7_500 };
    const part = await decoder.decode(keyFrameOf(red, 640, 360), { maxWidthPx: 3_840, crop });
    expect([part.widthPx, part.heightPx, redPixels(part.bytes)]).toEqual([320, 270, 320 * 270]);
  });

  it.each([640, 161])('are made of a camera’s JPEGs (%i)', async (maxWidthPx) => {
    const input = { width: 640, height: 360, channels: 3, background: '#ff0000' } as const;
    const bytes = await sharp({ create: input }).jpeg().toBuffer();
    const frame = new JpegFrame({ bytes, widthPx: 640, heightPx: 360, arrivalMonoMs: 0 }, 1);
    const rgb = await decoder.decode(frame, { maxWidthPx, crop: null });
    expect(redPixels(rgb.bytes)).toBe(rgb.widthPx * rgb.heightPx);
    const jpeg = await decoder.decode(frame, { maxWidthPx, crop: null, jpegQualityPercent: 75 });
    const { data, info } = await sharp(jpeg.bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, redPixels(data)]).toEqual([maxWidthPx, info.width * info.height]);
  });

  it('are not larger because a frame lies about its size', async () => {
    const { widthPx, heightPx, bytes } = await decoder.decode(keyFrameOf(red, 64, 64), ALL);
    expect([widthPx, heightPx, bytes.length]).toEqual([64, 64, 64 * 64 * 3]);
  });

  it.each([
    ['of the frame’s size', 640, 360, ALL],
    ['that are smaller', 320, 180, { maxWidthPx: 320, crop: null }],
    ['of odd sizes', 161, 91, { maxWidthPx: 161, crop: null }],
    ['of one pixel', 1, 1, { maxWidthPx: 1, crop: null }],
  ])('are JPEGs %s', async (_what, widthPx, heightPx, wanted) => {
    expect(decoder.makesJpeg).toBe(true);
    const jpeg = await decoder.decode(keyFrameOf(red, 640, 360), { ...wanted, jpegQualityPercent: 75 });
    const { data, info } = await sharp(jpeg.bytes).raw().toBuffer({ resolveWithObject: true });
    expect([jpeg.widthPx, jpeg.heightPx, info.width, info.height]).toEqual([
      widthPx,
      heightPx,
      widthPx,
      heightPx,
    ]);
    expect(redPixels(data)).toBe(widthPx * heightPx);
  });

  it('have the same colors as JPEGs, whatever the frame says about its own', async () => {
    for (const colorspace of ['bt709', 'smpte170m', 'unknown']) {
      const bars = keyFrameOf(colorBars(640, 360, colorspace), 640, 360);
      const wanted = { maxWidthPx: 320, crop: null };
      const rgb = await decoder.decode(bars, wanted);
      const jpeg = await decoder.decode(bars, { ...wanted, jpegQualityPercent: 95 });
      const seen = await sharp(jpeg.bytes).raw().toBuffer();
      // swscale's RGB is up to 3 darker than it should be.
      for (const at of barCenters(320)) {
        const difference = [0, 1, 2].map((channel) =>
          Math.abs(seen[at + channel]! - rgb.bytes[at + channel]!),
        );
        expect(Math.max(...difference), `${colorspace} ${at}`).toBeLessThanOrEqual(5);
      }
    }
  });

  it('are JPEGs of the size that their bytes need, whatever that is', async () => {
    const noise = keyFrameOf(codedNoise(640, 360), 640, 360);
    const [coarse, fine] = await Promise.all(
      [1, 100].map((jpegQualityPercent) => decoder.decode(noise, { ...ALL, jpegQualityPercent })),
    );
    // The space for it begins with 64 KiB.
    expect(coarse!.bytes.length).toBeLessThan(64 * 1024);
    expect(fine!.bytes.length).toBeGreaterThan(4 * 64 * 1024);
    const { info } = await sharp(fine!.bytes, { failOn: 'warning' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([640, 360]);
  });

  it.each([
    [
      'garbage',
      () => Buffer.from('no picture at all, though long enough to be written in two pieces. '.repeat(4)),
    ],
    ['a frame without its bytes', () => red.subarray(0, red.indexOf('mdat') + 8)],
    ['nothing', () => Buffer.alloc(0)],
  ])('fail for %s, and the next one does not', async (_what, broken) => {
    for (const wanted of [ALL, { ...ALL, jpegQualityPercent: 75 }]) {
      const failing = decoder.decode(keyFrameOf(broken(), 640, 360), wanted);
      await expect(failing).rejects.toMatchObject({ code: 'FFMPEG_BAD_PICTURE' });
    }
    const next = await decoder.decode(keyFrameOf(blue, 640, 360), ALL);
    expect(meanColor(next.bytes)[2]).toBeGreaterThan(200);
  });

  it.each([
    ['leaves parts of itself out', () => cutBlue],
    ['refers to what was before', () => skipped.fmp4],
  ])('show nothing of another camera where a frame %s', async (_how, hostile) => {
    for (let round = 0; round < 2; round++) {
      // Both slots have seen the red camera.
      await Promise.all([1, 2].map(() => decoder.decode(keyFrameOf(red, 640, 360), ALL)));
      const shown = await decoder.decode(keyFrameOf(hostile(), 640, 360), ALL).catch(() => null);
      if (shown !== null) expect(redPixels(shown.bytes)).toBe(0);
    }
  });

  it('of many cameras at once are each camera’s own', async () => {
    const frames = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? red : blue));
    const inTurn = async (from: number): Promise<number[]> => {
      const shown: number[] = [];
      for (let at = from; at < frames.length; at += 3) {
        shown.push(meanColor((await decoder.decode(keyFrameOf(frames[at]!, 640, 360), ALL)).bytes)[0]);
      }
      return shown;
    };
    const reds = await Promise.all([0, 1, 2].map(inTurn));
    for (const [from, shown] of reds.entries()) {
      for (const [index, value] of shown.entries()) {
        expect(value > 200, `${from} ${index}`).toBe((from + 3 * index) % 2 === 0);
      }
    }
  });
});

describe('a decoder that sees both cameras', () => {
  /** Why no process does, and proof that the check above can fail. */
  it('shows the first one where the second one’s frame refers to what was before', () => {
    const both = Buffer.concat([annexBOf(red), skipped.annexB]);
    const args = [
      '-v',
      'quiet',
      '-f',
      'h264',
      '-i',
      'pipe:0',
      '-pix_fmt',
      'rgb24',
      '-f',
      'rawvideo',
      'pipe:1',
    ];
    const { stdout } = spawnSync('ffmpeg', args, { input: both, maxBuffer: 64 * 1024 * 1024 });
    const second = stdout.subarray(640 * 360 * 3);
    expect([second.length, redPixels(second)]).toEqual([640 * 360 * 3, 640 * 360]);
  });
});

describe('WarmDecoder', () => {
  it('loads ffmpeg once for all pictures of a slot', async () => {
    const decoder = new WarmDecoder({ binary, pool, clock: systemClock, slots: 1, log: silentLog });
    await decoder.warmUp();
    await Promise.all([red, blue, red].map((coded) => decoder.decode(keyFrameOf(coded, 640, 360), ALL)));
    expect(decoder.starts).toBe(jail.hasPictureServer ? 1 : 0);
  });

  it('lets organizations and cameras take turns, and refuses what one has too many of', async () => {
    const decoder = new WarmDecoder({ binary, pool, clock: systemClock, slots: 1, log: silentLog });
    const made: string[] = [];
    const decode = async (organization: string, camera: string) => {
      await decoder.decode(
        keyFrameOf(red, 640, 360),
        { maxWidthPx: 16, crop: null },
        { organization, camera },
      );
      made.push(organization);
    };
    const { organization: most } = LIMITS.stillPictures.waiting.levels;
    const greedy = Array.from({ length: most + 3 }, (_, index) => decode('b', `camera ${index % 20}`));
    const settled = Promise.allSettled(greedy);
    const own = ['one', 'other'].map((camera) => decode('a', camera));
    await Promise.all(own);
    // One was being made, and one was next in turn.
    expect(made.filter((organization) => organization === 'b').length).toBeLessThanOrEqual(3);
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([
      { reason: { code: 'FFMPEG_POOL_FULL' } },
      { reason: { code: 'FFMPEG_POOL_FULL' } },
    ]);
  });

  it('starts ffmpeg for each picture where it cannot stay loaded', async () => {
    const bare = new WorkerPool({
      maxWorkers: 2,
      waitTimeoutMs: 5_000,
      clock: systemClock,
      jail: { ...jail, hasPictureServer: false },
    });
    const decoder = new WarmDecoder({ binary, pool: bare, clock: systemClock, slots: 1, log: silentLog });
    const { bytes } = await decoder.decode(keyFrameOf(blue, 640, 360), ALL);
    expect([decoder.starts, redPixels(bytes)]).toEqual([0, 0]);
    await bare.close();
  });
});
