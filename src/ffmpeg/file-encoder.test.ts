import { afterEach, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { BRIEF, FakeProcessStarter, FOREVER, noJail } from './fake-process-starter.ts';
import { FileEncoder, type SourceBlock } from './file-encoder.ts';
import type { FfmpegBinary } from './find-ffmpeg.ts';
import { WorkerPool } from './worker-pool.ts';

const pools: WorkerPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

async function* endless(released: { count: number }): AsyncGenerator<SourceBlock> {
  yield { buffers: [Buffer.alloc(100)], release: () => void released.count++ };
  await new Promise(() => undefined);
}

function open(ffmpegPath: string, source?: AsyncIterable<SourceBlock>) {
  const clock = new FakeClock();
  const starter = new FakeProcessStarter();
  const pool = new WorkerPool({
    maxWorkers: 1,
    maxCores: 2,
    waitTimeoutMs: 10_000,
    jail: noJail,
    starter,
    clock,
  });
  pools.push(pool);
  const encoder = new FileEncoder({ pool, binary: { path: ffmpegPath, major: 7 } as FfmpegBinary, clock });
  const released = { count: 0 };
  const ending = new AbortController();
  const camera = { uuid: newRuuid(), orgUuid: newRuuid() };
  const file = { durationMs: 1_000, hasAudio: true, masks: [], camera };
  const pieces = encoder.encode({ ...file, source: source ?? endless(released) }, ending.signal);
  return { clock, pool, pieces, ending, released, camera };
}

it('a worker that makes nothing is too slow, and its room is free again', async () => {
  const { clock, pool, pieces, released, camera } = open(FOREVER.ffmpegPath);
  const refused = expect(pieces.next()).rejects.toMatchObject({ code: 'FFMPEG_TOO_SLOW' });
  await eventuallyEqual(() => released.count, 1);
  expect(pool.overview(1).running).toMatchObject([{ purpose: 'past', cameraUuid: camera.uuid }]);
  clock.advance(30_000);
  await refused;
  clock.advance(2_000);
  await eventuallyEqual(() => pool.counts.running, 0);
});

it('a worker ends when its viewer may no longer see the file', async () => {
  const { clock, pool, pieces, ending, released } = open(FOREVER.ffmpegPath);
  const refused = expect(pieces.next()).rejects.toThrow();
  await eventuallyEqual(() => released.count, 1);
  ending.abort();
  await refused;
  clock.advance(2_000);
  await eventuallyEqual(() => pool.counts.running, 0);
});

it('a file that cannot be read to its end is not sent as if it were whole', async () => {
  async function* broken(): AsyncGenerator<SourceBlock> {
    yield { buffers: [Buffer.alloc(100)], release: () => undefined };
    throw new Error('deleted');
  }
  const { pieces } = open(BRIEF.ffmpegPath, broken());
  await expect(pieces.next()).rejects.toThrow('deleted');
});
