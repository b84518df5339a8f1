import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { MemoryRateLimiter } from './rate-limiter.ts';
import { describeRateLimiterContract } from './rate-limiter-contract.ts';

describeRateLimiterContract('memory', (limit, clock) => new MemoryRateLimiter(limit, clock));

describe('MemoryRateLimiter', () => {
  it('remembers a limited number of callers, those seen last', async () => {
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
