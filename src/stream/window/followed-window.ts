/** How a live window is mirrored (docs/design/threads.md#viewer-threads): the state that a mirror continues from, then each part. */

import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { PlaylistEdge } from '../../hls/media-playlist.ts';
import type { KeyFrame } from '../media/live-media.ts';
import type { Numbering } from '../numbering/numbering.ts';
import type { FormerNumbersState } from './former-numbers.ts';
import type { OpeningState } from './piecewise-list.ts';
import type { SharedPathState } from './shared-paths.ts';
import type { WindowSegmentsState } from './window-segments.ts';

/** Called in order, while it follows. Must not throw. */
export interface WindowFollower {
  /** Called with each part before viewers here can get it. Its bytes are borrowed until it returns. */
  onPart(part: CmafPart, partTargetMs: number): void;
  /** Everyone who waits for a part fails with this; parts may follow. */
  onFailed(error: GatewayError): void;
  /** Nothing follows. */
  onClosed(): void;
}

/** An open rendition that can be followed. */
export interface FollowedWindow {
  /** The window so far; the follower continues from there. The caller releases the bytes. */
  follow(follower: WindowFollower): LiveWindowState<PackedBytes | Buffer>;
  /** Where the time of its parts ends, and the next packager continues; null: it has none. */
  progress(): SegmenterProgress | null;
  /** The newest published key frame, for still images; null: there was none. */
  keyFrame(): KeyFrame | null;
  /** Idempotent. */
  unfollow(follower: WindowFollower): void;
}

/** A window as plain values, and the bytes of its segments. A window restored from it continues like the original. */
export interface LiveWindowState<Bytes> extends WindowSegmentsState<Bytes> {
  readonly numbering: Numbering;
  /** Another node makes its parts. */
  readonly isFollowing: boolean;
  /** Lower numbers that other nodes may have had; null: none. Absent: from a node that does not say. */
  readonly formerNumbers?: FormerNumbersState | null;
  readonly elapsedMs: number;
  readonly targetDurationSec: number;
  readonly partTargetMs: number;
  readonly partsFromMsn: number;
  readonly segmentCount: number;
  readonly edge: PlaylistEdge | null;
  /** Absent: from a node that has no piecewise playlists. */
  readonly opening?: OpeningState;
  /** The state of the segments' shared paths. */
  readonly paths: readonly SharedPathState[];
}
