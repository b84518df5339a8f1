/**
 * Timers that need not be exact end at instants that all share: a thread that wakes once for a hundred cameras does as much
 * for each as one that wakes a hundred times, and a wake costs more than the work.
 */

/** Between two of them. */
export const INSTANT_MS = 50;

/** At least `delayMs`, up to a shared instant. */
export function delayToInstant(nowMonoMs: number, delayMs: number): number {
  return Math.ceil((nowMonoMs + delayMs) / INSTANT_MS) * INSTANT_MS - nowMonoMs;
}
