import { describe, expect, it } from 'vitest';
import { pause, systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

describe('FakeClock', () => {
  it('fires timers in order of due time, then creation, each at its own time', () => {
    const clock = new FakeClock(1_000);
    const fired: string[] = [];
    clock.after(20, () => fired.push(`b@${clock.epochMs()}`));
    clock.after(10, () => {
      fired.push(`a@${clock.epochMs()}`);
      clock.after(5, () => fired.push(`nested@${clock.epochMs()}`));
    });
    clock.after(20, () => fired.push('c'));
    clock.after(30, () => fired.push('cancelled')).cancel();
    clock.advance(100);
    expect(fired).toEqual(['a@1010', 'nested@1015', 'b@1020', 'c']);
    expect([clock.monoMs(), clock.epochMs(), clock.pendingTimers]).toEqual([100, 1_100, 0]);
  });

  it('steps the wall clock without moving monotonic time', () => {
    const clock = new FakeClock(0);
    clock.stepWallClock(-5_000);
    expect([clock.monoMs(), clock.epochMs()]).toEqual([0, -5_000]);
  });
});

describe('systemClock', () => {
  it('fires once, not early, and not after cancel', async () => {
    const startMonoMs = systemClock.monoMs();
    const cancelled = systemClock.after(1, () => expect.unreachable());
    cancelled.cancel();
    const keepAlive = setInterval(() => undefined, 3_600_000);
    await new Promise<void>((resolve) => systemClock.after(15, resolve));
    clearInterval(keepAlive);
    expect(systemClock.monoMs() - startMonoMs).toBeGreaterThanOrEqual(14);
  });

  it('accepts delays longer than Node timers can hold', () => {
    systemClock.after(2 ** 40, () => expect.unreachable()).cancel();
  });
});

describe('pause', () => {
  it('ends with its time, or with its signal, and leaves no timer', async () => {
    const clock = new FakeClock();
    const ending = new AbortController();
    const over: string[] = [];
    const pauses = [
      pause(clock, 100).then(() => over.push('unaborted')),
      pause(clock, 50, ending.signal).then(() => over.push('in time')),
      pause(clock, 200, ending.signal).then(() => over.push('aborted')),
    ];
    clock.advance(50);
    ending.abort();
    await pauses[2];
    expect([over, clock.pendingTimers]).toEqual([['in time', 'aborted'], 1]);
    clock.advance(50);
    await Promise.all([...pauses, pause(clock, 100, ending.signal)]);
    expect([over.at(-1), clock.pendingTimers]).toEqual(['unaborted', 0]);
  });
});
