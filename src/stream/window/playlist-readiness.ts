/** Whether a playlist has what a request asks for (RFC 8216bis §6.2.5.2). */

import type { Unready } from '../media/live-media.ts';

/** The Advance Part Limit in seconds of parts, and in parts if they are shorter than a second. */
const ADVANCE_LIMIT = 3;

export interface PlaylistEnd {
  /** The next part: of the open segment, or the first one of the next. */
  readonly msn: number;
  readonly part: number;
  readonly partTargetMs: number;
  readonly targetDurationMs: number;
  /** Since the newest part came. */
  ageMs(): number;
  /** Parts of an earlier segment; null: it is not there anymore. */
  partsOf(msn: number): number | null;
}

/**
 * `part` -1: the whole segment. A part beyond the last one of its segment means the first one of the next.
 *
 * A late stream is allowed as much more as it is late: after a 503, as in a handover, a player adds the age of its
 * playlist to the part that it requests (hls.js 1.7, `tuneInGoal`). It gives the rendition up after a 400.
 */
export function readinessOf(end: PlaylistEnd, msn: number, part: number): 'ready' | Unready {
  const further = msn - end.msn - 1;
  if (further > 0 && further > Math.floor(lateMs(end) / end.targetDurationMs)) return 'rejected';
  if (part < 0) return msn < end.msn ? 'ready' : 'wait';
  if (msn >= end.msn) {
    if (msn === end.msn && part < end.part) return 'ready';
    const ahead = msn === end.msn ? part - end.part + 1 : part + 1;
    const beyond = ahead - advanceLimit(end.partTargetMs);
    return beyond > 0 && beyond > Math.floor(lateMs(end) / Math.max(1, end.partTargetMs))
      ? 'rejected'
      : 'wait';
  }
  const parts = end.partsOf(msn) ?? Number.POSITIVE_INFINITY;
  return part < parts || msn + 1 < end.msn || end.part > 0 ? 'ready' : 'wait';
}

/** Reads the clock, so only for what is too far ahead otherwise. */
function lateMs({ ageMs, partTargetMs }: PlaylistEnd): number {
  return Math.max(0, ageMs() - partTargetMs);
}

function advanceLimit(partTargetMs: number): number {
  const partTargetSec = partTargetMs / 1_000;
  return partTargetSec < 1 ? ADVANCE_LIMIT : Math.ceil(ADVANCE_LIMIT / partTargetSec);
}
