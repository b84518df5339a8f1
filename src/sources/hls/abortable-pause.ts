/** A pause that an abort ends. */

import type { Clock } from '../../core/clock.ts';

/** Rejects with the signal's reason as soon as it is aborted. */
export async function abortablePause(clock: Clock, signal: AbortSignal, durationMs: number): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const timer = clock.after(Math.max(0, durationMs), () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    const stop = (): void => {
      timer.cancel();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  signal.throwIfAborted();
}
