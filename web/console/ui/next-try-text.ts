/** When the gateway tries something again, in words. */

import { duration } from './duration.ts';

/** A try takes no longer. After that, what the page has read is outdated. */
const TRYING_MS = 30_000;

/** As in "Next try in 6 min". null: nothing is known that is still true. */
export function nextTryText(atMs: number, nowMs: number): string | null {
  const leftMs = atMs - nowMs;
  if (leftMs >= 1_000) return `Next try in ${duration(leftMs / 1_000)}`;
  return leftMs > -TRYING_MS ? 'Trying now' : null;
}
