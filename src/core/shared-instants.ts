/**
 * Timers that need not be exact end at instants that all share: a thread that wakes once for a hundred cameras does as much
 * for each as one that wakes a hundred times, and a wake costs more than the work.
 */

/** Between two of them. */
export const INSTANT_MS = 250;

/** The newest one has this number. */
export function instantOf(nowMonoMs: number): number {
  return Math.floor(nowMonoMs / INSTANT_MS);
}

/** At least `delayMs`, up to a shared instant. */
export function delayToInstant(nowMonoMs: number, delayMs: number): number {
  return Math.ceil((nowMonoMs + delayMs) / INSTANT_MS) * INSTANT_MS - nowMonoMs;
}
