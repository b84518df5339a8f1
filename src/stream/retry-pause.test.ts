import { describe, expect, it } from 'vitest';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { HEALTHY_AFTER_MS, RetryPause } from './retry-pause.ts';

const { GONE } = defineErrors({ GONE: { kind: 'peer-refused', message: 'gone' } });
const LIMITS = { backoffMinMs: 1_000, backoffMaxMs: 30_000 };
const gone = (context = {}) => new GatewayError(GONE, context);

describe('RetryPause', () => {
  it('doubles while attempts fail, half of it jitter', () => {
    const pauses = (random: number) => {
      const pause = new RetryPause(LIMITS, () => random);
      return Array.from({ length: 7 }, () => pause.afterFailure(gone(), 0));
    };
    expect(pauses(0)).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(Math.max(...pauses(0.999_999))).toBeLessThanOrEqual(30_000);
  });

  it('does not punish a camera that keeps dropping its viewers after some seconds of video', () => {
    const pause = new RetryPause(LIMITS, () => 0.9);
    const pauses = Array.from({ length: 20 }, () => pause.afterFailure(gone(), HEALTHY_AFTER_MS));
    expect(new Set(pauses)).toEqual(new Set([1_000]));
    expect(HEALTHY_AFTER_MS).toBeLessThanOrEqual(3_000);
  });

  it('grows for a camera that sends no more than its first frames', () => {
    const pause = new RetryPause(LIMITS, () => 0);
    for (let failures = 0; failures < 5; failures++) pause.afterFailure(gone(), HEALTHY_AFTER_MS - 1);
    expect(pause.afterFailure(gone(), 0)).toBe(15_000);
  });

  it("follows the camera's Retry-After up to the longest pause, and the gateway's own hold in full", () => {
    const pause = new RetryPause(LIMITS, () => 0);
    expect(pause.afterFailure(gone({ retryAfterSec: 12 }), 0)).toBe(12_000);
    expect(pause.afterFailure(gone({ retryAfterSec: 3_600 }), 0)).toBe(30_000);
    expect(pause.afterFailure(gone({ loginPauseMs: 360_000 }), 0)).toBe(360_000);
  });
});
