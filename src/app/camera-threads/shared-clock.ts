/**
 * One monotonic time for several threads: `performance.now()` counts from the start of each thread, and
 * `process.hrtime` is the machine's.
 */

import type { Clock } from '../../core/clock.ts';

const NS_PER_MS = 1e6;

/** To be given to `clockOf` in another thread. */
export function monoMinusHrMs(clock: Clock): number {
  return clock.monoMs() - hrMs();
}

/** `clock` of this thread, with the monotonic time of the thread that `monoMinusHrMs` was called in. */
export function clockOf(clock: Clock, offsetMs: number): Clock {
  const aheadMs = offsetMs - monoMinusHrMs(clock);
  return {
    monoMs: () => clock.monoMs() + aheadMs,
    epochMs: () => clock.epochMs(),
    after: (delayMs, fn) => clock.after(delayMs, fn),
  };
}

function hrMs(): number {
  return Number(process.hrtime.bigint()) / NS_PER_MS;
}
