/** What a live window that another thread mirrors goes on from. */

import type { PlaylistEdge } from '../../hls/media-playlist.ts';
import type { Numbering } from '../numbering/numbering.ts';
import type { FormerNumbersState } from './former-numbers.ts';
import type { SharedPathState } from './shared-paths.ts';
import type { WindowSegmentsState } from './window-segments.ts';

/** A window as plain values, and the bytes of its segments. One that is made of it goes on like the original. */
export interface LiveWindowState<Bytes> extends WindowSegmentsState<Bytes> {
  readonly numbering: Numbering;
  /** Another node makes what it shows. */
  readonly isFollowing: boolean;
  /** Lower numbers that other nodes may have had; null: none. Absent: from a node that does not say. */
  readonly formerNumbers?: FormerNumbersState | null;
  readonly elapsedMs: number;
  readonly targetDurationSec: number;
  readonly partTargetMs: number;
  readonly partsFromMsn: number;
  readonly segmentCount: number;
  readonly edge: PlaylistEdge | null;
  /** Of the segments' shared paths. */
  readonly paths: readonly SharedPathState[];
}
