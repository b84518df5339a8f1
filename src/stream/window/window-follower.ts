/** How a window that is published in this thread is mirrored by others (docs/design/threads.md#viewer-threads). */

import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { KeyFrame } from '../media/live-media.ts';
import type { LiveWindowState } from './live-window-state.ts';

/** Called in order, while it follows. Must not throw. */
export interface WindowFollower {
  /** Called with each part before viewers here can get it. Its bytes are borrowed until it returns. */
  onPart(part: CmafPart, partTargetMs: number): void;
  /** Everyone who waits for a part fails with this; parts may follow. */
  onFailed(error: GatewayError): void;
  /** Nothing follows. */
  onClosed(): void;
}

/** What can be followed: an open rendition. */
export interface FollowedWindow {
  /** What was published so far, from where the follower goes on. Whoever gets the bytes releases them. */
  follow(follower: WindowFollower): LiveWindowState<PackedBytes | Buffer>;
  /** Where the time of its parts ends: who packages after it goes on there. null: it has none. */
  progress(): SegmenterProgress | null;
  /** Of what was published so far, for still images; null: there was none. */
  keyFrame(): KeyFrame | null;
  /** Idempotent. */
  unfollow(follower: WindowFollower): void;
}
