import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { CAMERA_THREAD_ERRORS } from '../sources/threaded/errors.ts';
import { type GroupThread, ThreadGroup } from './thread-group.ts';

const { CAMERA_THREAD_FAILED } = CAMERA_THREAD_ERRORS;

class FakeWorker extends EventEmitter {
  async terminate(): Promise<number> {
    this.emit('exit', 1);
    return 1;
  }
}

let clock: FakeClock;
let pauses: unknown[];
let workers: FakeWorker[];
let canStart: boolean;
let group: ThreadGroup<void, GroupThread<void>>;
/** Resolves when threads may start. */
let starting: Promise<void>;
/** By index: when the thread was last heard. */
let heardMonoMs: number[];

const MAX_SILENCE_MS = 5_000;

beforeEach(() => {
  clock = new FakeClock();
  [pauses, workers, canStart, starting] = [[], [], true, Promise.resolve()];
  heardMonoMs = [];
  group = new ThreadGroup({
    kind: 'test',
    failure: CAMERA_THREAD_FAILED,
    maxSilenceMs: MAX_SILENCE_MS,
    clock,
    spawn(index): GroupThread<void> {
      heardMonoMs[index] = clock.monoMs();
      const worker = new FakeWorker();
      workers.push(worker);
      return {
        worker: worker as unknown as Worker,
        start: async () => {
          await starting;
          if (!canStart) throw new GatewayError(CAMERA_THREAD_FAILED);
        },
        close: async () => undefined,
        onEnded: () => undefined,
        get silentMs() {
          return clock.monoMs() - heardMonoMs[index]!;
        },
        forgive() {
          heardMonoMs[index] = clock.monoMs();
        },
      };
    },
    log: {
      ...silentLog,
      error: (fields) => {
        if ('retryMs' in fields) pauses.push(fields.retryMs);
      },
    },
  });
});

async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

describe('a group of threads', () => {
  it('replaces one that lived for a while soon, and waits longer and longer if none starts after it', async () => {
    await group.start(0);
    clock.advance(120_000);
    canStart = false;
    workers[0]!.emit('exit', 1);
    await settled();
    for (let round = 0; round < 4; round++) {
      clock.advance(pauses.at(-1) as number);
      await settled();
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_600]);
    canStart = true;
    clock.advance(1_600);
    await settled();
    expect([group.threads.length, group.starts]).toEqual([1, 6]);
    await group.close();
  });

  it('leaves a thread alone that is silent because it takes long to load', async () => {
    await group.start(0);
    const { promise, resolve } = Promise.withResolvers<void>();
    starting = promise;
    const second = group.start(1);
    pass(20_000, [0]);
    resolve();
    await second;
    pass(MAX_SILENCE_MS - 1_000, [0]);
    expect(group.starts).toBe(2);
    expect(group.threads).toHaveLength(2);
    await group.close();
  });

  it('ends a thread that is silent after its start, and one that never starts', async () => {
    await group.start(0);
    starting = new Promise(() => undefined);
    pass(MAX_SILENCE_MS + 2_000);
    await settled();
    expect(pauses).toEqual([100]);
    pass(100);
    await settled();
    expect(group.starts).toBe(2);
    pass(62_000);
    await settled();
    expect(pauses).toEqual([100, 200]);
    await group.close();
  });
});

/** Second by second, so that this thread is not the one that is late. `heard`: threads that are heard all the time. */
function pass(ms: number, heard: readonly number[] = []): void {
  for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
    for (const index of heard) heardMonoMs[index] = clock.monoMs();
    clock.advance(Math.min(1_000, ms - passedMs));
  }
}
