import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { type FfmpegBinary, findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { createJail, type Jail } from '../ffmpeg/jail.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import type { KeyFrame, LiveCamera } from '../stream/live-media.ts';
import { decodedSize } from './picture-decoder.ts';
import { MAX_CACHED_CAMERAS, MIN_DECODE_INTERVAL_MS, Posters } from './posters.ts';

/** A red frame as the packager keeps it: an initialization section and one fragment. */
function redKeyFrame(widthPx: number, heightPx: number): Buffer {
  const args = `-v error -f lavfi -i color=red:size=${widthPx}x${heightPx}:rate=1 -frames:v 1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -f mp4 -movflags +empty_moov+default_base_moof pipe:1`;
  const result = spawnSync('ffmpeg', args.split(' '));
  if (result.status !== 0) throw new Error(String(result.stderr));
  return result.stdout;
}

class StillCamera implements Partial<LiveCamera> {
  readonly uuid: Ruuid = newRuuid();
  readonly name = 'Lobby';
  frame: KeyFrame | null = null;
  keyFrame(): KeyFrame | null {
    return this.frame;
  }
}

/** "Decodes" by repeating its input, without a process: three bytes are an image of one pixel. */
function echoPool(): WorkerPool {
  const start = async () => {
    const pipe = new PassThrough();
    const exited = once(pipe, 'end').then(() => ({ code: 0, signal: null, stderr: [] }));
    return { stdin: pipe, stdout: pipe, exited, kill: () => exited };
  };
  return { start } as unknown as WorkerPool;
}

describe('Posters', () => {
  let binary: FfmpegBinary;
  let jail: Jail;
  let pool: WorkerPool;
  let coded: Buffer;
  const started: string[] = [];

  beforeAll(async () => {
    binary = await findFfmpeg();
    const real = await createJail();
    jail = {
      describe: () => real.describe(),
      wrap: (command, args, options) => {
        started.push(options.network ? 'network' : 'no network');
        return real.wrap(command, args, options);
      },
    };
    pool = new WorkerPool({ maxWorkers: 2, waitTimeoutMs: 5_000, jail, clock: systemClock });
    coded = redKeyFrame(640, 360);
  });

  afterAll(() => pool.close());

  function setup() {
    const clock = new FakeClock();
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_fields: object, message: string) => void warnings.push(message) };
    const posters = new Posters({ binary, pool, clock, log });
    const still = new StillCamera();
    const show = (fmp4: Buffer, atEpochMs: number) => {
      still.frame = {
        fmp4: [fmp4.subarray(0, 100), fmp4.subarray(100)],
        widthPx: 640,
        heightPx: 360,
        atEpochMs,
      };
    };
    started.length = 0;
    return { clock, posters, still, camera: still as unknown as LiveCamera, show, warnings };
  }

  it('has nothing to show of a camera without a key frame', async () => {
    const { posters, camera } = setup();
    expect(await posters.poster(camera, 640)).toBeNull();
    expect(started).toEqual([]);
  });

  it('makes JPEGs in the asked width, never wider than the camera, from one decoding without network', async () => {
    const { posters, camera, show } = setup();
    show(coded, 1);
    const all = await Promise.all([320, 640, 1280, 320].map((width) => posters.poster(camera, width as 320)));
    expect(started).toEqual(['no network']);
    const sizes = await Promise.all(all.map((jpeg) => sharp(jpeg!).metadata()));
    expect(sizes.map((m) => [m.format, m.width, m.height])).toEqual([
      ['jpeg', 320, 180],
      ['jpeg', 640, 360],
      ['jpeg', 640, 360],
      ['jpeg', 320, 180],
    ]);
    const { dominant } = await sharp(all[0]!).stats();
    expect(dominant.r).toBeGreaterThan(200);
    expect(dominant.g).toBeLessThan(60);
  });

  it('decodes a newer key frame only after some seconds, and the same one never again', async () => {
    const { posters, camera, show, clock } = setup();
    show(coded, 1);
    const first = await posters.poster(camera, 320);
    show(coded, 2);
    expect(await posters.poster(camera, 320)).toBe(first);
    clock.advance(MIN_DECODE_INTERVAL_MS);
    expect(await posters.poster(camera, 320)).not.toBe(first);
    clock.advance(10 * MIN_DECODE_INTERVAL_MS);
    await posters.poster(camera, 640);
    expect(started).toHaveLength(2);
  });

  it.each([
    [
      'garbage',
      () => Buffer.from('no picture at all, though long enough to be written in two pieces. '.repeat(4)),
    ],
    ['a cut picture', () => coded.subarray(0, coded.indexOf('mdat') + 8)],
  ])(
    'keeps the picture of before when the newest is %s, says so once, and waits before it tries again',
    async (_t, bad) => {
      const { posters, camera, show, clock, warnings } = setup();
      show(coded, 1);
      const good = await posters.poster(camera, 320);
      clock.advance(MIN_DECODE_INTERVAL_MS);
      show(bad(), 2);
      expect(await posters.poster(camera, 320)).toBe(good);
      expect(await posters.poster(camera, 320)).toBe(good);
      expect([started.length, warnings]).toEqual([2, ['poster not available']]);
    },
  );

  it('does not believe a key frame that lies about its size', async () => {
    const { posters, camera, still } = setup();
    still.frame = { fmp4: [coded], widthPx: 64, heightPx: 64, atEpochMs: 1 };
    const { width, height } = await sharp((await posters.poster(camera, 320))!).metadata();
    expect([width, height]).toEqual([64, 64]);
  });

  it('forgets the cameras asked for least recently when there are too many', async () => {
    const { camera, clock } = setup();
    const posters = new Posters({ binary, pool: echoPool(), clock, log: silentLog });
    const cameras = Array.from({ length: MAX_CACHED_CAMERAS + 1 }, () => new StillCamera());
    for (const still of cameras) {
      still.frame = { fmp4: [Buffer.from([255, 0, 0])], widthPx: 1, heightPx: 1, atEpochMs: 1 };
      expect(await posters.poster(still as unknown as LiveCamera, 320)).not.toBeNull();
      still.frame = null;
    }
    const kept = await Promise.all(
      cameras.map((still) => posters.poster(still as unknown as LiveCamera, 320)),
    );
    expect(kept.map((jpeg) => jpeg !== null)).toEqual(cameras.map((_camera, index) => index > 0));
    posters.forget(cameras[1]!.uuid);
    expect(await posters.poster(cameras[1]! as unknown as LiveCamera, 320)).toBeNull();
    expect(await posters.poster(camera, 320)).toBeNull();
  });
});

describe('decodedSize', () => {
  it.each([
    [640, 360, 640, 360],
    [1_920, 1_080, 1_280, 720],
    [1_080, 1_920, 1_080, 1_920],
    [4_096, 16, 1_280, 5],
    [16, 16_384, 3, 2_560],
  ])('brings %i × %i to %i × %i', (width, height, widthPx, heightPx) => {
    expect(decodedSize(width, height)).toEqual({ widthPx, heightPx });
  });
});
