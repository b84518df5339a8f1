/** Where the segments of a rendition lie in time: what a manifest is made from. */

import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';

/** Segments without a discontinuity between them. One object for all of them. */
export interface Stretch {
  /** Start of its first segment. */
  readonly startTicks: number;
  readonly timescaleHz: number;
  /** Wall time of its first frame. */
  readonly startEpochMs: number;
  /** See CmafPart. */
  readonly sourceOffsetSec: number;
}

/** Those of another node's windows are copies. */
export function isSameStretch(one: Stretch | null, other: Stretch | null): boolean {
  if (one === other) return true;
  return (
    one !== null &&
    other !== null &&
    one.startTicks === other.startTicks &&
    one.startEpochMs === other.startEpochMs &&
    one.timescaleHz === other.timescaleHz
  );
}

export interface TimedSegment {
  readonly msn: number;
  /** Name of its init segment. */
  readonly initName: string;
  readonly tracks: PackagedTracks;
  readonly stretch: Stretch;
  readonly startTicks: number;
  /** So far, if it is not complete. */
  readonly durationTicks: number;
  /** Wall time of its first frame. */
  readonly epochMs: number;
  readonly isComplete: boolean;
}
