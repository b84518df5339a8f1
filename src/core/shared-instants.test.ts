import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';
import {
  delayToMultiple,
  everySecond,
  INSTANT_MS,
  multiplesPassed,
  ROUND_MS,
  TURNS,
} from './shared-instants.ts';

/** Begins `count` calls, of which the first `TURNS` have a turn each. */
function callsEvery(clock: Clock, count: number) {
  const calls: string[] = [];
  const timers = Array.from({ length: count }, (_, index) =>
    everySecond(clock, () => calls.push(`${index} at ${Math.floor(clock.monoMs())}`)),
  );
  return { calls, timers };
}

describe('everySecond', () => {
  it('calls a quarter of all at each shared instant, by one timer for each quarter', () => {
    const clock = new FakeClock();
    clock.advance(600);
    const { calls, timers } = callsEvery(clock, 6);
    expect(clock.pendingTimers).toBe(TURNS);
    clock.advance(ROUND_MS);
    const first = ['3 at 750', '0 at 1000', '4 at 1000', '1 at 1250', '5 at 1250', '2 at 1500'];
    expect(calls.splice(0)).toEqual(first);
    timers[4]!.cancel();
    clock.advance(ROUND_MS);
    expect(calls).toEqual(['3 at 1750', '0 at 2000', '1 at 2250', '5 at 2250', '2 at 2500']);
    for (const timer of timers) timer.cancel();
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not call one that another one canceled, and goes on when one fails', () => {
    const clock = new FakeClock();
    const called: number[] = [];
    const timers = Array.from({ length: TURNS + 1 }, (_, index) =>
      everySecond(clock, () => {
        called.push(index);
        if (index > 0) throw new Error('defect');
        timers[TURNS]!.cancel();
      }),
    );
    clock.advance(INSTANT_MS - 1);
    for (let round = 0; round < 2; round++) {
      for (let turn = 1; turn < TURNS; turn++) expect(() => clock.advance(INSTANT_MS)).toThrow('defect');
      clock.advance(INSTANT_MS);
    }
    expect(called).toEqual([1, 2, 3, 0, 1, 2, 3, 0]);
  });

  it('calls once for an instant whose timer ends too early, as those of Node can', () => {
    const fake = new FakeClock();
    const early: Clock = {
      ...{ monoMs: () => fake.monoMs(), epochMs: () => fake.epochMs() },
      after: (delayMs, fn) => fake.after(delayMs - 0.9, fn),
    };
    const { calls } = callsEvery(early, 1);
    fake.advance(10.5 * ROUND_MS);
    expect(calls).toHaveLength(10);
  });
});

it('the delay to a multiple leads to the next one, which has passed then', () => {
  for (const nowMonoMs of [0, 0.5, 7.25, 249, 249.5, 250, 251.75]) {
    const delayMs = delayToMultiple(nowMonoMs, 250);
    expect(Number.isInteger(delayMs)).toBe(true);
    const passed = multiplesPassed(nowMonoMs, 250);
    expect(multiplesPassed(nowMonoMs + delayMs - 1, 250)).toBe(passed + 1);
    expect(nowMonoMs + delayMs).toBeLessThan((passed + 1) * 250 + 1);
  }
});
