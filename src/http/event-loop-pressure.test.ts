import { createHistogram } from 'node:perf_hooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { EventLoopDelay } from './event-loop-pressure.ts';

const NS_PER_MS = 1e6;
const ON_TIME_MS = 10;
const STALL_MS = 5_000;

describe('EventLoopDelay', () => {
  let clock: FakeClock;
  let turns: ReturnType<typeof createHistogram>;
  let delay: EventLoopDelay;

  beforeEach(() => {
    clock = new FakeClock();
    turns = createHistogram();
    delay = new EventLoopDelay(turns, clock);
  });

  function turn(...timesMs: number[]): void {
    for (const ms of timesMs) turns.record(ms * NS_PER_MS);
  }

  it('is none while the event loop has hardly turned, which is so when a gateway starts', () => {
    clock.advance(STALL_MS);
    expect(delay.ms()).toBe(0);
    turn(STALL_MS, ON_TIME_MS);
    expect(delay.ms()).toBe(0);
  });

  it('is none after one long turn among short ones', () => {
    turn(ON_TIME_MS, STALL_MS, ON_TIME_MS);
    clock.advance(STALL_MS);
    expect(delay.ms()).toBeLessThan(1);
  });

  it('is that of most turns, until a window was better', () => {
    turn(STALL_MS, STALL_MS, ON_TIME_MS);
    clock.advance(2 * STALL_MS);
    expect(delay.ms()).toBeGreaterThan(STALL_MS - 2 * ON_TIME_MS);
    turn(ON_TIME_MS, ON_TIME_MS, ON_TIME_MS);
    clock.advance(999);
    expect(delay.ms()).toBeGreaterThan(STALL_MS - 2 * ON_TIME_MS);
    clock.advance(1);
    expect(delay.ms()).toBeLessThan(1);
  });
});
