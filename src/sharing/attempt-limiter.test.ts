import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { type Attempt, AttemptLimiter } from './attempt-limiter.ts';

const share = newRuuid();
const isLetThrough = (taken: Attempt | { retryAfterMs: number }): taken is Attempt => 'forgive' in taken;

describe('AttemptLimiter', () => {
  it('admits as many as a minute allows, then one at a time', async () => {
    const clock = new FakeClock();
    const limiter = new AttemptLimiter({ clock, perMinute: 6 });
    for (let i = 0; i < 6; i++) expect(isLetThrough(await limiter.take(share, '192.0.2.1'))).toBe(true);
    expect(await limiter.take(share, '192.0.2.1')).toEqual({ retryAfterMs: 10_000 });
    clock.advance(9_999);
    expect(await limiter.take(share, '192.0.2.1')).toEqual({ retryAfterMs: 1 });
    clock.advance(1);
    expect(isLetThrough(await limiter.take(share, '192.0.2.1'))).toBe(true);
    expect(isLetThrough(await limiter.take(share, '192.0.2.1'))).toBe(false);
  });

  it('counts by share and by address', async () => {
    const limiter = new AttemptLimiter({ clock: new FakeClock(), perMinute: 1 });
    expect(isLetThrough(await limiter.take(share, '192.0.2.1'))).toBe(true);
    expect(isLetThrough(await limiter.take(share, '192.0.2.2'))).toBe(true);
    expect(isLetThrough(await limiter.take(newRuuid(), '192.0.2.1'))).toBe(true);
    expect(isLetThrough(await limiter.take(share, '192.0.2.1'))).toBe(false);
  });

  it('returns the attempt for a correct password, once', async () => {
    const limiter = new AttemptLimiter({ clock: new FakeClock(), perMinute: 2 });
    const attempt = (await limiter.take(share, '192.0.2.1')) as Attempt;
    await limiter.take(share, '192.0.2.1');
    attempt.forgive();
    attempt.forgive();
    expect(isLetThrough(await limiter.take(share, '192.0.2.1'))).toBe(true);
    expect(isLetThrough(await limiter.take(share, '192.0.2.1'))).toBe(false);
  });

  it('remembers a limited number of addresses, the latest', async () => {
    const limiter = new AttemptLimiter({ clock: new FakeClock(), perMinute: 1, maxBuckets: 3 });
    for (let i = 0; i < 10; i++) await limiter.take(share, `192.0.2.${i}`);
    expect(isLetThrough(await limiter.take(share, '192.0.2.9'))).toBe(false);
    expect(isLetThrough(await limiter.take(share, '192.0.2.0'))).toBe(true);
  });
});
