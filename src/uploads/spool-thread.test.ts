import { beforeEach, describe, expect, it } from 'vitest';
import { HEALTHY_AFTER_MS } from '../core/backoff.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import type { ThreadEvents } from '../threads/spawn-thread.ts';
import type { SpoolRequest, SpoolResponse } from './spool-protocol.ts';
import { SpoolThread } from './spool-thread.ts';

let clock: FakeClock;
let spool: SpoolThread;
let launched: ThreadEvents<SpoolResponse>[];
let requests: SpoolRequest[];
let pauses: unknown[];

beforeEach(() => {
  clock = new FakeClock();
  [launched, requests, pauses] = [[], [], []];
  const log: Log = {
    ...silentLog,
    error: (fields) => void pauses.push((fields as { retryMs: number }).retryMs),
  };
  spool = new SpoolThread({
    clock,
    log,
    launch: (events) => {
      launched.push(events);
      return {
        post: (request) => void requests.push(request),
        terminate: async () => events.onEnd(undefined),
      };
    },
  });
});

const call = () => spool.call({ name: 'freeBytes' });
const codeOf = (result: Promise<unknown>) =>
  result.then(
    () => 'done',
    (thrown: { readonly code: string }) => thrown.code,
  );
const fail = () => launched.at(-1)!.onEnd(new Error('out of memory'));

describe('the thread of uploads', () => {
  it('is started by the first call, and answers all', async () => {
    expect(launched).toEqual([]);
    const results = [call(), call()];
    expect([launched.length, requests.length]).toEqual([1, 2]);
    launched[0]!.onNotice({ id: requests[1]!.id, value: 2 });
    launched[0]!.onNotice({ id: requests[0]!.id, value: 1 });
    expect(await Promise.all(results)).toEqual([1, 2]);
  });

  it('is started again after a pause that grows if it keeps failing, and calls fail until then', async () => {
    const first = codeOf(call());
    fail();
    expect(await first).toBe('UPLOAD_THREAD_FAILED');
    for (const [index, pauseMs] of [0, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries()) {
      expect(pauses.at(-1)).toBe(pauseMs);
      if (pauseMs > 0) {
        clock.advance(pauseMs - 1);
        expect(await codeOf(call())).toBe('UPLOAD_THREAD_FAILED');
        clock.advance(1);
      }
      expect(launched).toHaveLength(index + 1);
      const next = codeOf(call());
      expect(launched).toHaveLength(index + 2);
      fail();
      expect(await next).toBe('UPLOAD_THREAD_FAILED');
    }
  });

  it('that ran for a while is started again without a pause', async () => {
    for (let failures = 0; failures < 4; failures++) {
      clock.advance(10_000);
      void codeOf(call());
      fail();
    }
    clock.advance(10_000);
    void codeOf(call());
    clock.advance(HEALTHY_AFTER_MS);
    fail();
    expect(pauses.at(-1)).toBe(0);
    void codeOf(call());
    expect(launched).toHaveLength(6);
  });

  it('that is closed is no failure', async () => {
    const waiting = codeOf(call());
    await spool.close();
    expect(await waiting).toBe('UPLOAD_THREAD_FAILED');
    expect(await codeOf(call())).toBe('UPLOAD_STOPPING');
    expect(pauses).toEqual([]);
  });
});
