/** A pause that an abort ends. */

import { type Clock, pause } from '../../core/clock.ts';

/** Rejects with the signal's reason as soon as it is aborted. */
export async function abortablePause(clock: Clock, signal: AbortSignal, durationMs: number): Promise<void> {
  await pause(clock, Math.max(0, durationMs), signal);
  signal.throwIfAborted();
}
