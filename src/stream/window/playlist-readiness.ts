/** Whether a playlist has what a request asks for (RFC 8216bis §6.2.5.2). */

import type { Unready } from '../media/live-media.ts';

/** The Advance Part Limit in seconds of parts, and in parts if they are shorter than a second. */
const ADVANCE_LIMIT = 3;

export interface PlaylistEnd {
  /** The next part: of the open segment, or the first one of the next. */
  readonly msn: number;
  readonly part: number;
  readonly partTargetMs: number;
  /** Parts of an earlier segment; null: it is not there anymore. */
  partsOf(msn: number): number | null;
}

/** `part` -1: the whole segment. A part beyond the last one of its segment means the first one of the next. */
export function readinessOf(end: PlaylistEnd, msn: number, part: number): 'ready' | Unready {
  if (msn > end.msn + 1) return 'rejected';
  if (part < 0) return msn < end.msn ? 'ready' : 'wait';
  if (msn >= end.msn) {
    if (msn === end.msn && part < end.part) return 'ready';
    const ahead = msn === end.msn ? part - end.part + 1 : part + 1;
    return ahead > advanceLimit(end.partTargetMs) ? 'rejected' : 'wait';
  }
  const parts = end.partsOf(msn) ?? Number.POSITIVE_INFINITY;
  return part < parts || msn + 1 < end.msn || end.part > 0 ? 'ready' : 'wait';
}

function advanceLimit(partTargetMs: number): number {
  const partTargetSec = partTargetMs / 1_000;
  return partTargetSec < 1 ? ADVANCE_LIMIT : Math.ceil(ADVANCE_LIMIT / partTargetSec);
}
