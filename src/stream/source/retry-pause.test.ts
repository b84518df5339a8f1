import { describe, expect, it } from 'vitest';
import { defineErrors, GatewayError } from '../../core/errors.ts';
import { HEALTHY_AFTER_MS, MAX_ABSENT_PAUSE_MS, RetryPause } from './retry-pause.ts';

const { GONE } = defineErrors({ GONE: { kind: 'peer-refused', message: 'gone' } });
const LIMITS = { backoffMinMs: 1_000, backoffMaxMs: 30_000 };
const FAULTS = defineErrors({
  DIRECT_UNREACHABLE: { kind: 'unavailable', message: 'not reached' },
  DIRECT_CONNECT_TIMEOUT: { kind: 'timeout', message: 'not reached in time' },
  DIRECT_SILENT: { kind: 'timeout', message: 'silent' },
});
const refused = () => new GatewayError(FAULTS.DIRECT_UNREACHABLE, { errno: 'ECONNREFUSED' });
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

  it('is short and does not grow while there is no worker for the camera, and forgets nothing meanwhile', () => {
    const { FFMPEG_POOL_FULL } = defineErrors({ FFMPEG_POOL_FULL: { kind: 'unavailable', message: 'full' } });
    const full = new GatewayError(FFMPEG_POOL_FULL, { retryAfterSec: 10 });
    const pause = new RetryPause(LIMITS, () => 0);
    for (let failures = 0; failures < 4; failures++) pause.afterFailure(gone(), 0);
    expect(Array.from({ length: 9 }, () => pause.afterFailure(full, 0))).toEqual(Array(9).fill(1_000));
    expect(pause.afterFailure(gone(), 0)).toBe(8_000);
  });

  it("follows the camera's Retry-After up to the longest pause, and the gateway's own hold in full", () => {
    const pause = new RetryPause(LIMITS, () => 0);
    expect(pause.afterFailure(gone({ retryAfterSec: 12 }), 0)).toBe(12_000);
    expect(pause.afterFailure(gone({ retryAfterSec: 3_600 }), 0)).toBe(30_000);
    expect(pause.afterFailure(gone({ loginPauseMs: 360_000 }), 0)).toBe(360_000);
  });

  it.each([
    ['refuses connections', refused()],
    ['cannot be reached', new GatewayError(FAULTS.DIRECT_UNREACHABLE, { errno: 'EHOSTUNREACH' })],
    ['does not answer', new GatewayError(FAULTS.DIRECT_CONNECT_TIMEOUT)],
    ['sends nothing', new GatewayError(FAULTS.DIRECT_SILENT)],
  ])('stays short, with jitter, for a camera that %s', (_what, error) => {
    const pauses = (random: number) => {
      const pause = new RetryPause(LIMITS, () => random);
      return Array.from({ length: 100 }, () => pause.afterFailure(error, 0));
    };
    expect(new Set(pauses(0))).toEqual(new Set([1_000]));
    const longestMs = Math.max(...pauses(0.999_999));
    expect(longestMs).toBeGreaterThan(1_400);
    expect(longestMs).toBeLessThanOrEqual(MAX_ABSENT_PAUSE_MS);
  });

  it('keeps to a longer first pause of the configuration', () => {
    const pause = new RetryPause({ backoffMinMs: 20_000, backoffMaxMs: 60_000 }, () => 0.9);
    expect([pause.afterFailure(refused(), 0), pause.afterFailure(refused(), 0)]).toEqual([20_000, 20_000]);
  });

  it('grows while a name is not found: name servers have to search', () => {
    const pause = new RetryPause(LIMITS, () => 0);
    const unknown = new GatewayError(FAULTS.DIRECT_UNREACHABLE, { errno: 'ENOTFOUND' });
    for (let failures = 0; failures < 5; failures++) pause.afterFailure(unknown, 0);
    expect(pause.afterFailure(unknown, 0)).toBe(15_000);
  });

  it('begins anew for a camera that answers again and refuses: it has just started', () => {
    const pause = new RetryPause(LIMITS, () => 0.5);
    for (let failures = 0; failures < 6; failures++) pause.afterFailure(gone(), 0);
    pause.afterFailure(refused(), 0);
    expect([pause.afterFailure(gone(), 0), pause.afterFailure(gone(), 0)]).toEqual([1_000, 1_500]);
  });
});
