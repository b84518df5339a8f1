/** One organization wants all workers for as long as it can have them, and others want some too. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import { exitReason } from './exit-reason.ts';
import { FakeProcessStarter, FOREVER, noJail } from './fake-process-starter.ts';
import type { StartRequest } from './start-request.ts';
import type { Worker } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

const QUEUE_TIMEOUT_MS = 10_000;
/** Half of it: how often an organization can take from others. */
const BOUND_MS = 5_000;
const RETRY_MS = 250;
const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

let clock: FakeClock;
let workers: WorkerPool;
let streams: Stream[];

beforeEach(() => {
  clock = new FakeClock();
  streams = [];
  workers = open();
});

afterEach(async () => {
  for (const stream of streams) stream.close();
  await workers.close();
});

function open({ maxWorkers = 4, maxCores = 64, maxWaiting = 64 } = {}): WorkerPool {
  return new WorkerPool({
    maxWorkers,
    maxCores,
    maxWaiting,
    waitTimeoutMs: QUEUE_TIMEOUT_MS,
    jail: noJail,
    clock,
    starter: new FakeProcessStarter(),
  });
}

/** Wants a worker for as long as it is open, as a stream with its supervisor does. */
class Stream {
  readonly organization: string;
  urgency: Urgency;
  worker: Worker | null = null;
  /** Why it lost a worker, or got none. */
  readonly ends: string[] = [];
  readonly #abort = new AbortController();

  constructor(organization: string, urgency: Urgency, request: StartRequest, isYielding: boolean) {
    this.organization = organization;
    this.urgency = urgency;
    void this.#run({ ...request, organization, urgency: () => this.urgency }, isYielding);
  }

  /** Workers that it had and that it did not end itself. */
  get lost(): number {
    return this.ends.filter((end) => end === 'lost').length;
  }

  close(): void {
    this.#abort.abort();
    void this.worker?.kill();
  }

  async #run(request: StartRequest, isYielding: boolean): Promise<void> {
    while (!this.#abort.signal.aborted) {
      try {
        const start = isYielding ? workers.startYielding : workers.start;
        this.worker = await start.call(workers, FOREVER, this.#abort.signal, request);
        if (this.#abort.signal.aborted) void this.worker.kill();
        await this.worker.exited;
        this.ends.push('lost');
      } catch {
        this.ends.push('refused');
      }
      this.worker = null;
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(RETRY_MS, resolve);
      await promise;
    }
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await nextTurn();
}

async function pass(ms: number, stepMs = RETRY_MS): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    await settle();
  }
}

/** In their order, each a moment after the one before. */
async function want(
  organization: string,
  count: number,
  { urgency = 'viewer', isYielding = false, ...request }: WantOptions = {},
): Promise<Stream[]> {
  const wanted: Stream[] = [];
  for (let index = 0; index < count; index++) {
    wanted.push(new Stream(organization, urgency, request, isYielding));
    await settle();
  }
  streams.push(...wanted);
  return wanted;
}

interface WantOptions extends Omit<StartRequest, 'urgency' | 'organization'> {
  readonly urgency?: Urgency;
  readonly isYielding?: boolean;
}

/** Running workers by organization. */
function held(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { organization, worker } of streams) {
    if (worker !== null) counts[organization] = (counts[organization] ?? 0) + 1;
  }
  return counts;
}

const lost = (): number => streams.reduce((sum, stream) => sum + stream.lost, 0);

describe('an organization that takes all workers', () => {
  it('gives one to another that has none, and nothing changes after that', async () => {
    await want('B', 8);
    await pass(60_000, 2_500);
    expect([held(), lost()]).toEqual([{ B: 4 }, 0]);
    const [viewer] = await want('A', 1);
    await pass(BOUND_MS);
    expect([held(), viewer!.worker === null]).toEqual([{ A: 1, B: 3 }, false]);
    await pass(HOUR_MS, 10_000);
    expect([held(), lost(), viewer!.ends]).toEqual([{ A: 1, B: 3 }, 1, []]);
  });

  it('keeps its share, and the workers that it had first', async () => {
    const [first, second] = await want('B', 8);
    await pass(60_000, 2_500);
    await want('A', 8);
    await pass(4 * BOUND_MS);
    expect(held()).toEqual({ A: 2, B: 2 });
    await pass(HOUR_MS, 10_000);
    expect([held(), lost(), first!.ends, second!.ends]).toEqual([{ A: 2, B: 2 }, 2, [], []]);
  });

  it('shares with two others', async () => {
    await want('B', 8);
    await pass(60_000, 2_500);
    await want('A', 3);
    await want('C', 3);
    await pass(4 * BOUND_MS);
    const after = held();
    expect(Object.values(after).sort()).toEqual([1, 1, 2]);
    const changes = lost();
    await pass(HOUR_MS, 10_000);
    expect([held(), lost() - changes]).toEqual([after, 0]);
  });

  it('has all of them again when the other one leaves', async () => {
    await want('B', 8);
    const others = await want('A', 3);
    await pass(4 * BOUND_MS);
    expect(held()).toEqual({ A: 2, B: 2 });
    for (const stream of others) stream.close();
    await pass(BOUND_MS);
    expect(held()).toEqual({ B: 4 });
  });

  it('does not lose one to its own streams', async () => {
    await want('B', 4, { urgency: 'recording' });
    await pass(60_000, 2_500);
    await want('B', 4, { urgency: 'alarm' });
    await pass(HOUR_MS, 10_000);
    expect([held(), lost()]).toEqual([{ B: 4 }, 0]);
  });

  it('loses few to streams of another one that come and leave', async () => {
    await want('B', 8);
    await pass(60_000, 2_500);
    for (let minute = 0; minute < 10; minute++) {
      const before = lost();
      for (let count = 0; count < 30; count++) {
        const [brief] = await want('A', 1);
        await pass(1_750);
        brief!.close();
        await pass(250);
        streams = streams.filter((stream) => stream !== brief);
      }
      expect(lost() - before).toBeLessThanOrEqual(60_000 / BOUND_MS);
    }
  });

  it('learns from the exit that the worker went to another organization', async () => {
    const [, second] = await Promise.all([
      workers.start(FOREVER, never, { organization: 'B' }),
      workers.start(FOREVER, never, { organization: 'B' }),
      workers.start(FOREVER, never, { organization: 'C' }),
      workers.start(FOREVER, never, { organization: 'D' }),
    ]);
    await pass(BOUND_MS);
    const started = workers.start(FOREVER, never, { organization: 'A' });
    const reason = exitReason(await second!.exited);
    await started;
    expect(reason).toMatchObject({ code: 'FFMPEG_POOL_FULL', context: { boundOf: 'organization' } });
    expect(workers.sample).toMatchObject({ taken: 1, refused: 0 });
  });
});

describe('urgency', () => {
  it('keeps no organization from its first worker, but from a second one', async () => {
    await want('B', 8, { urgency: 'alarm' });
    await pass(60_000, 2_500);
    await want('A', 4);
    await pass(HOUR_MS, 10_000);
    expect([held(), lost()]).toEqual([{ A: 1, B: 3 }, 1]);
    await want('A', 1, { urgency: 'alarm' });
    await pass(2 * BOUND_MS);
    expect([held(), lost()]).toEqual([{ A: 2, B: 2 }, 2]);
  });

  it('decides which worker an organization loses', async () => {
    const recorded = await want('B', 1, { urgency: 'recording' });
    await want('B', 3);
    await pass(60_000, 2_500);
    await want('A', 1);
    await pass(BOUND_MS);
    expect([held(), recorded[0]!.lost]).toEqual([{ A: 1, B: 3 }, 1]);
  });

  it('counts for what is left', async () => {
    await want('B', 8);
    await want('A', 1);
    await pass(4 * BOUND_MS);
    expect(held()).toEqual({ A: 1, B: 3 });
    await want('A', 4, { urgency: 'recording' });
    await pass(60_000, 2_500);
    expect(held()).toEqual({ A: 1, B: 3 });
    for (const stream of streams) if (stream.organization === 'B') stream.urgency = 'recording';
    await pass(60_000, 2_500);
    expect(held()).toEqual({ A: 2, B: 2 });
  });
});

it('leaves each organization the only one that it has, even if there are more of them than workers', async () => {
  for (const organization of ['B', 'C', 'D', 'E', 'A']) await want(organization, 2);
  await pass(HOUR_MS, 10_000);
  expect([held(), lost()]).toEqual([{ B: 1, C: 1, D: 1, E: 1 }, 2]);
  streams[0]!.close();
  await pass(2 * BOUND_MS);
  expect(held()).toMatchObject({ A: 1, C: 1, D: 1, E: 1 });
});

describe('work that yields', () => {
  it('gets a worker of another organization that has all of them with the same', async () => {
    await want('B', 8, { isYielding: true });
    await pass(60_000, 2_500);
    await want('A', 8, { isYielding: true });
    await pass(HOUR_MS, 10_000);
    expect([held(), lost()]).toEqual([{ A: 2, B: 2 }, 2]);
  });

  it('gets one next to video of others, and keeps it', async () => {
    await want('B', 8);
    await pass(60_000, 2_500);
    await want('A', 8, { isYielding: true });
    await pass(HOUR_MS, 10_000);
    expect([held(), lost()]).toEqual([{ A: 1, B: 3 }, 1]);
  });

  it('gives way to video of its own organization', async () => {
    await want('B', 8);
    await want('A', 1, { isYielding: true });
    await pass(2 * BOUND_MS);
    expect(held()).toEqual({ A: 1, B: 3 });
    const before = lost();
    const [video] = await want('A', 1);
    await pass(2 * BOUND_MS);
    expect(video!.worker).not.toBeNull();
    // It was audio that ended, and not the video of the other organization.
    expect([held(), lost() - before]).toEqual([{ A: 1, B: 3 }, 1]);
  });
});

describe('a worker that cameras share', () => {
  const server = (camerasOf: Record<string, number>) =>
    workers.startYielding(FOREVER, never, {
      shared: () => {
        const counts = new Map(Object.entries(camerasOf));
        return { cameras: 64, camerasOf: counts, urgency: 'viewer' };
      },
    });

  it('gives way to the first worker of another organization only if it is for no one else', async () => {
    const mixed = await server({ A: 1, B: 63 });
    const [first, second] = [await server({ B: 64 }), await server({ B: 64 })];
    await want('B', 1);
    const [viewer] = await want('A', 1);
    expect(viewer!.worker).not.toBeNull();
    expect([mixed, first, second].map(({ isEnding }) => isEnding)).toEqual([false, false, true]);
    expect(lost()).toBe(0);
    await want('A', 1);
    expect(held()).toEqual({ A: 1, B: 1 });
  });
});

describe('the line', () => {
  it('has a place for another organization, whose start is next', async () => {
    const flood = await want('B', 80, { urgency: 'alarm' });
    expect(workers.counts).toEqual({ running: 4, waiting: 64 });
    expect(flood.filter(({ ends }) => ends.length > 0)).toHaveLength(12);
    const [viewer] = await want('A', 1);
    expect([held(), viewer!.ends]).toEqual([{ A: 1, B: 3 }, []]);
  });

  it('is shared out between organizations, and says whose bound was reached', async () => {
    workers = open({ maxWorkers: 1, maxWaiting: 4 });
    const refused: unknown[] = [];
    const start = (organization: string, urgency: Urgency) =>
      void workers
        .start(FOREVER, never, { organization, urgency: () => urgency })
        .catch(({ context }) => refused.push([organization, context.boundOf]));
    for (let count = 0; count < 5; count++) start('B', 'alarm');
    for (let count = 0; count < 3; count++) start('A', 'picture');
    await settle();
    expect(refused).toEqual([
      ['B', 'organization'],
      ['B', 'organization'],
      ['A', 'organization'],
    ]);
  });

  it('of work that yields is shared out in the same way', async () => {
    const refused: string[] = [];
    const start = (organization: string) =>
      void workers
        // A signal of their own, as streams have: each looks through the listeners of its signal.
        .startYielding(FOREVER, new AbortController().signal, { organization })
        .catch(({ code }) => refused.push(`${organization} ${code}`));
    for (let count = 0; count < 4 + 4_096; count++) start('B');
    await settle();
    expect([workers.counts, refused]).toEqual([{ running: 4, waiting: 4_096 }, []]);
    start('A');
    await settle();
    expect([workers.sample.taken, refused]).toEqual([1, ['B FFMPEG_POOL_FULL']]);
    for (let count = 0; count < 3; count++) start('B');
    start('A');
    await settle();
    expect(refused).toEqual(Array(4).fill('B FFMPEG_POOL_FULL'));
  });

  it('lets organizations take turns, of the same urgency', async () => {
    workers = open({ maxWorkers: 2 });
    await want('B', 6, { purpose: 'camera' });
    await want('A', 3, { purpose: 'h264' });
    await want('C', 1, { purpose: 'other', urgency: 'picture' });
    const order = workers.overview(5).waiting.map(({ purpose }) => purpose);
    expect([held(), order]).toEqual([{ A: 1, B: 1 }, ['other', 'camera', 'h264', 'camera', 'h264']]);
  });
});

describe('cores', () => {
  it('are shared out like workers', async () => {
    workers = open({ maxWorkers: 16, maxCores: 2 });
    await want('B', 3, { cores: 0.65 });
    await pass(60_000, 2_500);
    await want('A', 4, { cores: 0.3 });
    await pass(HOUR_MS, 10_000);
    // 1.3 and 0.6: with another one, B would have less than A.
    expect([held(), lost()]).toEqual([{ A: 2, B: 2 }, 1]);
  });

  it('do not keep an organization from its first worker, even if one of another takes them all', async () => {
    workers = open({ maxCores: 2 });
    const [huge] = await want('B', 1, { cores: 5 });
    await pass(60_000, 2_500);
    const [small] = await want('A', 2, { cores: 0.3 });
    await pass(60_000, 2_500);
    expect([held(), huge!.lost, small!.worker === null]).toEqual([{ A: 1, B: 1 }, 0, false]);
  });

  it('that a large start waits for are not kept from smaller ones of others', async () => {
    workers = open({ maxWorkers: 16, maxCores: 2 });
    await want('B', 1, { cores: 0.5 });
    await want('A', 1, { cores: 0.3 });
    await want('B', 1, { cores: 1.9 });
    await want('A', 1, { cores: 0.3 });
    await pass(1_000);
    expect(held()).toEqual({ A: 2, B: 1 });
  });
});
