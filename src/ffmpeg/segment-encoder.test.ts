import { afterEach, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { BRIEF, FakeProcessStarter, FOREVER, noJail } from './fake-process-starter.ts';
import type { FfmpegBinary } from './find-ffmpeg.ts';
import { SegmentEncoder } from './segment-encoder.ts';
import { WorkerPool } from './worker-pool.ts';

const pools: WorkerPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function open(ffmpegPath: string) {
  const clock = new FakeClock();
  const starter = new FakeProcessStarter();
  const options = { maxWorkers: 1, maxCores: 2, waitTimeoutMs: 10_000, jail: noJail, starter, clock };
  const pool = new WorkerPool(options);
  pools.push(pool);
  const binary = { path: ffmpegPath, major: 7 } as FfmpegBinary;
  const encoder = new SegmentEncoder({ pool, binary, clock });
  const camera = { uuid: newRuuid(), orgUuid: newRuuid() };
  const ending = new AbortController();
  const segment = { fmp4: [Buffer.alloc(100)], camera, masks: [], ending: ending.signal };
  const encode = () => encoder.encode({ ...segment, urgency: () => 'viewer' });
  return { clock, pool, camera, ending, encode };
}

it('a worker that makes nothing is an error', async () => {
  const { encode } = open(BRIEF.ffmpegPath);
  await expect(encode()).rejects.toMatchObject({ code: 'FFMPEG_NO_VIDEO' });
});

it('a worker that takes too long is ended, and its room is free again', async () => {
  const { clock, pool, camera, encode } = open(FOREVER.ffmpegPath);
  const encoding = encode();
  const refused = expect(encoding).rejects.toMatchObject({ code: 'FFMPEG_TOO_SLOW' });
  await Promise.resolve();
  await Promise.resolve();
  expect(pool.overview(1).running).toMatchObject([{ purpose: 'past', cameraUuid: camera.uuid }]);
  clock.advance(60_000);
  clock.advance(2_000);
  await refused;
  expect(pool.counts.running).toBe(0);
});

it('that is ended ends its worker', async () => {
  const { clock, pool, ending, encode } = open(FOREVER.ffmpegPath);
  const ended = expect(encode()).rejects.toThrow('other masks');
  await Promise.resolve();
  await Promise.resolve();
  expect(pool.counts.running).toBe(1);
  ending.abort(new Error('other masks'));
  clock.advance(2_000);
  await ended;
  expect(pool.counts.running).toBe(0);
});

it('waits for a worker like everyone else', async () => {
  const { clock, encode } = open(FOREVER.ffmpegPath);
  const first = encode();
  const second = encode();
  const refused = expect(second).rejects.toMatchObject({ code: 'FFMPEG_POOL_FULL' });
  clock.advance(10_000);
  await refused;
  const ended = expect(first).rejects.toMatchObject({ code: 'FFMPEG_TOO_SLOW' });
  clock.advance(60_000);
  clock.advance(2_000);
  await ended;
});
