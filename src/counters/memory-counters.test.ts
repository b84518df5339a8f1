import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { describeCountersContract } from './counters-contract.ts';
import { createMemoryCounters } from './memory-counters.ts';
import { MAX_REGISTERED_VIEWERS, ViewerRegister } from './viewer-register.ts';

describeCountersContract('in memory', async (options) => createMemoryCounters(options));

describe('ViewerRegister', () => {
  it('forgets the viewers of shares that no one asks about, and then rests', () => {
    const clock = new FakeClock();
    const register = new ViewerRegister(clock, 1_000);
    for (let i = 0; i < 100; i++) register.seen(newRuuid(), 'anna');
    clock.advance(2_000);
    expect([...register.all()]).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stays within its limit, and accepts new viewers when others leave', () => {
    const register = new ViewerRegister(new FakeClock(), 1_000);
    const share = newRuuid();
    for (let i = 0; i < MAX_REGISTERED_VIEWERS; i++) register.seen(share, String(i));
    expect(register.seen(share, 'one too many')).toBeNull();
    expect(register.seen(share, '7')).not.toBeNull();
    register.left(share, '7');
    expect(register.seen(share, 'one too many')).not.toBeNull();
    expect(register.count(share)).toBe(MAX_REGISTERED_VIEWERS);
  });
});
