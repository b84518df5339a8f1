/** The contract of every rate limiter. Each one's test runs it. */

import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { RateLimiter } from './rate-limiter.ts';

export function describeRateLimiterContract(
  name: string,
  open: (limit: RateLimit, clock: FakeClock) => RateLimiter,
): void {
  describe(`rate limiter contract: ${name}`, () => {
    let clock: FakeClock;
    let caller: string;
    beforeEach(() => {
      clock = new FakeClock();
      caller = newRuuid();
    });

    it('allows a burst, then what the rate refills', async () => {
      const limiter = open({ burst: 3, perSec: 0.5 }, clock);
      for (const remaining of [2, 1, 0]) {
        expect(await limiter.take(caller)).toEqual({
          isAllowed: true,
          limit: 3,
          remaining,
          windowSec: 6,
          resetSec: (3 - remaining) * 2,
          retryAfterSec: 0,
        });
      }
      const refusal = { isAllowed: false, remaining: 0, retryAfterSec: 2, resetSec: 6 };
      expect(await limiter.take(caller)).toMatchObject(refusal);
      clock.advance(1_999);
      expect((await limiter.take(caller)).isAllowed).toBe(false);
      clock.advance(1);
      expect((await limiter.take(caller)).isAllowed).toBe(true);
      expect((await limiter.take(caller)).isAllowed).toBe(false);
    });

    it('never holds more than the burst', async () => {
      const limiter = open({ burst: 2, perSec: 100 }, clock);
      await limiter.take(caller);
      clock.advance(3_600_000);
      expect(await limiter.peek(caller)).toMatchObject({ remaining: 2, resetSec: 0 });
    });

    it('keeps callers apart', async () => {
      const limiter = open({ burst: 1, perSec: 1 }, clock);
      expect((await limiter.take(caller)).isAllowed).toBe(true);
      expect((await limiter.take(newRuuid())).isAllowed).toBe(true);
      expect((await limiter.take(caller)).isAllowed).toBe(false);
    });

    it('takes nothing when peeking', async () => {
      const limiter = open({ burst: 1, perSec: 1 }, clock);
      await limiter.peek(caller);
      await limiter.peek(caller);
      expect((await limiter.take(caller)).isAllowed).toBe(true);
      expect((await limiter.peek(caller)).isAllowed).toBe(false);
    });

    it('allows exactly the burst when all ask at once', async () => {
      const limiter = open({ burst: 10, perSec: 0.01 }, clock);
      const verdicts = await Promise.all(Array.from({ length: 40 }, () => limiter.take(caller)));
      expect(verdicts.filter((verdict) => verdict.isAllowed)).toHaveLength(10);
    });

    it('gives nothing if the clock goes back', async () => {
      const limiter = open({ burst: 1, perSec: 1 }, clock);
      await limiter.take(caller);
      clock.stepWallClock(-60_000);
      expect((await limiter.take(caller)).isAllowed).toBe(false);
    });
  });
}
