import { describe, expect, it } from 'vitest';
import { Backoff, doubledMs, HEALTHY_AFTER_MS } from './backoff.ts';

const LIMITS = { firstMs: 250, lastMs: 2_000 };

describe('Backoff', () => {
  it('doubles up to the longest pause, and begins again after a success', () => {
    const backoff = new Backoff(LIMITS);
    const next = (): number => backoff.failed();
    expect(Array.from({ length: 5 }, next)).toEqual([250, 500, 1_000, 2_000, 2_000]);
    expect(backoff.failures).toBe(5);
    backoff.reset();
    expect([next(), next()]).toEqual([250, 500]);
  });

  it('doubles while one after the other ends early, and begins again after one that lived for a while', () => {
    const backoff = new Backoff(LIMITS);
    let nowMonoMs = 0;
    const after = (livedMs: number): number => {
      backoff.started(nowMonoMs);
      nowMonoMs += livedMs;
      const pauseMs = backoff.ended(nowMonoMs);
      nowMonoMs += pauseMs;
      return pauseMs;
    };
    expect([0, 10, 10, 9_000, 10].map(after)).toEqual([250, 500, 1_000, 2_000, 2_000]);
    expect([HEALTHY_AFTER_MS, 10].map(after)).toEqual([250, 500]);
    // It did not start at all: the life of the one before does not count.
    nowMonoMs += 3_600_000;
    expect(backoff.ended(nowMonoMs)).toBe(1_000);
  });

  it('takes what it calls healthy from its user', () => {
    const backoff = new Backoff({ ...LIMITS, healthyAfterMs: 3_000 });
    expect([0, 2_999, 3_000].map((livedMs) => backoff.failed(livedMs))).toEqual([250, 500, 250]);
  });

  it('varies pauses between half and all of their length, but not below the least', () => {
    const pauses = (random: number, leastMs?: number): number[] => {
      const backoff = new Backoff({
        ...LIMITS,
        random: () => random,
        ...(leastMs === undefined ? {} : { leastMs }),
      });
      return Array.from({ length: 4 }, () => backoff.failed());
    };
    expect(pauses(0)).toEqual([125, 250, 500, 1_000]);
    expect(pauses(0.5)).toEqual([187.5, 375, 750, 1_500]);
    expect(pauses(0, 250)).toEqual([250, 250, 500, 1_000]);
  });
});

describe('doubledMs', () => {
  it('is the first pause after the first failure, and stays at the longest after any number', () => {
    expect([0, 1, 2, 4, 5, 10_000].map((failures) => doubledMs(LIMITS, failures))).toEqual([
      250, 250, 500, 2_000, 2_000, 2_000,
    ]);
  });
});
