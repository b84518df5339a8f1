import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { clockOf, monoMinusHrMs } from './shared-clock.ts';

describe('the clock of another thread', () => {
  it('shows this thread’s time', () => {
    let hrNs = 99_000_000_000n;
    const machine = vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => hrNs);
    onTestFinished(() => machine.mockRestore());
    const here = new FakeClock();
    here.advance(20_000);
    const offsetMs = monoMinusHrMs(here);
    // The other thread begins later.
    const there = new FakeClock();
    here.advance(12_345);
    hrNs += 12_345_000_000n;
    const clock = clockOf(there, offsetMs);
    expect(clock.monoMs()).toBe(here.monoMs());
    for (const each of [here, there]) each.advance(1_000);
    expect(clock.monoMs()).toBe(33_345);
  });
});
