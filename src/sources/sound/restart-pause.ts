/** How long to wait before an audio worker that ended on its own is replaced: longer each time, with jitter. */

import { Backoff } from '../../core/backoff.ts';

/** `random` in [0, 1): the jitter. A worker that lived for a minute proves that the audio works; one that hangs is ended earlier. */
export function soundRestarts(random: () => number = Math.random): Backoff {
  return new Backoff({ firstMs: 1_000, lastMs: 30_000, leastMs: 1_000, random });
}
