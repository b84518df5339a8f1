import { expect, it } from 'vitest';
import { HEALTHY_AFTER_MS, RestartDelay } from './restart-delay.ts';

it('doubles while one after the other ends early, and begins again after one that lived for a while', () => {
  const delay = new RestartDelay(250, 2_000);
  let nowMonoMs = 0;
  const after = (livedMs: number): number => {
    delay.started(nowMonoMs);
    nowMonoMs += livedMs;
    const pauseMs = delay.ended(nowMonoMs);
    nowMonoMs += pauseMs;
    return pauseMs;
  };
  expect([0, 10, 10, 9_000, 10].map(after)).toEqual([250, 500, 1_000, 2_000, 2_000]);
  expect([HEALTHY_AFTER_MS, 10].map(after)).toEqual([250, 500]);
  // It did not start at all: the life of the one before does not count.
  nowMonoMs += 3_600_000;
  expect(delay.ended(nowMonoMs)).toBe(1_000);
});
