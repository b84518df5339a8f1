/** Which of a camera's two newest key frames an image is made of. */

import type { KeyFrame } from '../media/live-media.ts';

/** A key frame that is this much older than the other stream's is not of the same moment. */
export const MAX_KEY_FRAME_LAG_MS = 10_000;

/**
 * Of the smallest stream that is at least `widthPx` wide, otherwise of the largest. A stream that only the other one's
 * viewers keep open stands still: its frame is too old to count.
 */
export function fittingKeyFrame(
  sub: KeyFrame | null,
  main: KeyFrame | null,
  widthPx: number,
): KeyFrame | null {
  if (sub === null || main === null) return sub ?? main;
  const lagMs = main.atEpochMs - sub.atEpochMs;
  if (Math.abs(lagMs) > MAX_KEY_FRAME_LAG_MS) return lagMs > 0 ? main : sub;
  const [small, large] = sub.widthPx <= main.widthPx ? [sub, main] : [main, sub];
  return small.widthPx >= widthPx ? small : large;
}
