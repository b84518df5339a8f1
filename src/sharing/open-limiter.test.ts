import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { OpenLimiter } from './open-limiter.ts';

const share = newRuuid();

describe('OpenLimiter', () => {
  it('admits two minutes’ worth of openings at once, then the configured number per minute', async () => {
    const clock = new FakeClock();
    const limiter = new OpenLimiter({ clock, perMinute: 600 });
    const requested = Array.from({ length: 97_000 }, () => limiter.take(share, '192.0.2.1'));
    const opened = await Promise.all(requested);
    expect(opened.filter((waitMs) => waitMs === 0)).toHaveLength(1_200);
    expect(opened.at(-1)).toBe(100);
    clock.advance(100);
    expect(await limiter.take(share, '192.0.2.1')).toBe(0);
    expect(await limiter.take(share, '192.0.2.1')).toBe(100);
  });

  it('counts by share and by address, a /64 as one', async () => {
    const limiter = new OpenLimiter({ clock: new FakeClock(), perMinute: 1 });
    for (let i = 0; i < 2; i++) expect(await limiter.take(share, `2001:db8::${i}`)).toBe(0);
    expect(await limiter.take(share, '2001:db8::ffff')).toBeGreaterThan(0);
    expect(await limiter.take(share, '2001:db8:0:1::1')).toBe(0);
    expect(await limiter.take(newRuuid(), '2001:db8::1')).toBe(0);
  });

  it('never affects a puller that requests the bare URL every second', async () => {
    const clock = new FakeClock();
    const limiter = new OpenLimiter({ clock, perMinute: 600 });
    for (let second = 0; second < 86_400; second++) {
      expect(await limiter.take(share, '192.0.2.1')).toBe(0);
      clock.advance(1_000);
    }
  });
});
