import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { MemoryRateLimiter } from './rate-limiter.ts';

describe('MemoryRateLimiter', () => {
  it('allows a burst, then what the rate brings back', async () => {
    const clock = new FakeClock();
    const limiter = new MemoryRateLimiter({ burst: 3, perSec: 0.5 }, clock);
    for (const remaining of [2, 1, 0]) {
      expect(await limiter.take('a')).toMatchObject({
        isAllowed: true,
        limit: 3,
        remaining,
        retryAfterSec: 0,
      });
    }
    expect(await limiter.take('a')).toMatchObject({
      isAllowed: false,
      remaining: 0,
      retryAfterSec: 2,
      resetSec: 6,
    });
    clock.advance(1_999);
    expect((await limiter.take('a')).isAllowed).toBe(false);
    clock.advance(1);
    expect((await limiter.take('a')).isAllowed).toBe(true);
    expect((await limiter.take('a')).isAllowed).toBe(false);
  });

  it('never holds more than the burst', async () => {
    const clock = new FakeClock();
    const limiter = new MemoryRateLimiter({ burst: 2, perSec: 100 }, clock);
    await limiter.take('a');
    clock.advance(3_600_000);
    expect(await limiter.peek('a')).toMatchObject({ remaining: 2, resetSec: 0 });
  });

  it('keeps callers apart', async () => {
    const limiter = new MemoryRateLimiter({ burst: 1, perSec: 1 }, new FakeClock());
    expect((await limiter.take('a')).isAllowed).toBe(true);
    expect((await limiter.take('b')).isAllowed).toBe(true);
    expect((await limiter.take('a')).isAllowed).toBe(false);
  });

  it('takes nothing by peeking', async () => {
    const limiter = new MemoryRateLimiter({ burst: 1, perSec: 1 }, new FakeClock());
    await limiter.peek('a');
    await limiter.peek('a');
    expect((await limiter.take('a')).isAllowed).toBe(true);
    expect((await limiter.peek('a')).isAllowed).toBe(false);
  });

  it('remembers a bounded number of callers, those seen last', async () => {
    const limiter = new MemoryRateLimiter({ burst: 1, perSec: 0.001 }, new FakeClock());
    await limiter.take('first');
    await limiter.take('kept');
    for (let i = 0; i < 9_998; i++) await limiter.take(`caller ${i}`);
    await limiter.take('kept');
    await limiter.take('one more');
    expect(limiter.size).toBe(10_000);
    expect((await limiter.peek('kept')).isAllowed).toBe(false);
    expect((await limiter.peek('first')).isAllowed).toBe(true);
  });
});
