/** When the gateway tries something again, in words. */

import { t } from '../words.ts';
import { duration } from './duration.ts';

/** A try takes no longer. After that, what the page has read is outdated. */
const TRYING_MS = 30_000;

/** As in "Next try in 6 min". null: nothing is known that is still true. */
export function nextTryText(atMs: number, nowMs: number): string | null {
  const leftMs = atMs - nowMs;
  if (leftMs >= 1_000) return t('Next try in {duration}', { duration: duration(leftMs / 1_000) });
  return leftMs > -TRYING_MS ? t('Trying now') : null;
}
