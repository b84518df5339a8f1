/** Reads the one line of a live playlist that names the next part (RFC 8216bis §4.4.5.3). */

export interface PartNumber {
  readonly msn: number;
  readonly part: number;
}

/** Longer than the line itself: the hint is at the end of the playlist. */
export const HINT_TAIL_CHARS = 160;

const HINT_URI = /URI="seg_(\d+)\.(\d+)\.m4v"/;

/** `tail`: the playlist or at least its last HINT_TAIL_CHARS; null without a hint. */
export function readPreloadHint(tail: string): PartNumber | null {
  const line = tail.lastIndexOf('#EXT-X-PRELOAD-HINT');
  if (line < 0) return null;
  const match = HINT_URI.exec(tail.slice(line));
  return match === null ? null : { msn: Number(match[1]), part: Number(match[2]) };
}
