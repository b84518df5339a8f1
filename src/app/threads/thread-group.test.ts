import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { CAMERA_THREAD_ERRORS } from '../../sources/threaded/errors.ts';
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

beforeEach(() => {
  clock = new FakeClock();
  [pauses, workers, canStart] = [[], [], true];
  group = new ThreadGroup({
    ...{ kind: 'test', failure: CAMERA_THREAD_FAILED, maxSilenceMs: 1_000_000, clock },
    spawn(): GroupThread<void> {
      const worker = new FakeWorker();
      workers.push(worker);
      return {
        worker: worker as unknown as Worker,
        start: async () => {
          if (!canStart) throw new GatewayError(CAMERA_THREAD_FAILED);
        },
        close: async () => undefined,
        ...{ silentMs: 0, forgive: () => undefined, onEnded: () => undefined },
      };
    },
    log: { ...silentLog, error: (fields) => void pauses.push((fields as { retryMs: number }).retryMs) },
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
});
