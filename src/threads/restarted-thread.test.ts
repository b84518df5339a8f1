import { beforeEach, expect, it } from 'vitest';
import { HEALTHY_AFTER_MS } from '../core/backoff.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { RestartedThread } from './restarted-thread.ts';
import type { ThreadEvents } from './spawn-thread.ts';

let clock: FakeClock;
let launched: ThreadEvents<string>[];
let noticed: string[];
let ends: number[];
let restarts: number;

beforeEach(() => {
  clock = new FakeClock();
  [launched, noticed, ends, restarts] = [[], [], [], 0];
});

function open(pausesFirst: boolean): RestartedThread<string, string> {
  return new RestartedThread<string, string>({
    clock,
    pausesFirst,
    launch: (events) => {
      launched.push(events);
      return { post: () => undefined, terminate: () => events.onEnd(undefined) };
    },
    onNotice: (notice) => void noticed.push(notice),
    onEnd: (_cause, retryMs) => void ends.push(retryMs),
    onRestart: () => void restarts++,
  });
}

const fail = (): void => launched.at(-1)!.onEnd(new Error('broken'));

it('starts when it is needed, and is paused longer and longer while it fails', () => {
  const thread = open(true);
  expect(launched).toHaveLength(0);
  for (const pauseMs of [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    expect(thread.get()).not.toBeNull();
    fail();
    expect([thread.running, thread.get(), ends.at(-1)]).toEqual([null, null, pauseMs]);
    clock.advance(pauseMs - 1);
    expect(thread.get()).toBeNull();
    clock.advance(1);
  }
  expect(restarts).toBe(8);
  thread.get();
  clock.advance(HEALTHY_AFTER_MS);
  fail();
  expect(ends.at(-1)).toBe(250);
});

it('starts again immediately after its first failure, and after it was replaced', () => {
  const thread = open(false);
  thread.get();
  fail();
  expect([thread.get() === null, ends]).toEqual([false, [0]]);
  thread.replace();
  expect([thread.get() === null, ends]).toEqual([false, [0, 0]]);
  fail();
  expect([thread.get(), ends.at(-1)]).toEqual([null, 500]);
});

it('hears nothing of threads that have ended, and is closed for good', () => {
  const thread = open(false);
  thread.get();
  launched[0]!.onNotice('first');
  fail();
  thread.get();
  launched[0]!.onNotice('late');
  launched[1]!.onNotice('second');
  thread.close();
  expect([noticed, ends, thread.running, clock.pendingTimers]).toEqual([['first', 'second'], [0], null, 0]);
});
