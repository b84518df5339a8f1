/**
 * Offered by a source that packages on its own, in another thread: then parts cross instead of access units
 * (docs/design/threads.md#packaging-in-camera-threads). It lives as long as the source's instance.
 */

import type { PackagedContent } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { SegmenterLimits } from '../../cmaf/segmenter-limits.ts';
import type { FrameCounts, SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { PeriodsState } from '../dash/dash-period.ts';
import type { Audience, KeyFrame } from '../media/live-media.ts';
import type { LiveWindowState } from '../window/followed-window.ts';

/** Plain values. */
export interface RenditionOrder {
  readonly content: PackagedContent;
  readonly limits: SegmenterLimits;
  /** Monotonic time that is 0 on the output timeline; absent: that of the first frame. */
  readonly originMonoMs?: number;
  /** Wall clock minus monotonic clock. */
  readonly epochMinusMonoMs: number;
  /** The fingerprint of an init segment that players may still have; null: there is none. */
  readonly initFingerprint: string | null;
  /** Where earlier parts ended; null: there are none. */
  readonly progress: SegmenterProgress | null;
}

/** Called in order, and never after the rendition was closed. */
export interface PartReceiver {
  /** Takes over the bytes. `progress`: where the part ends. */
  onPart(part: CmafPart, partTargetMs: number, progress: SegmenterProgress): void;
  /**
   * Called by a mirror with the window that replaces the previous one, the time at which its parts end, and its newest key
   * frame. Takes over the bytes.
   */
  onWindow(
    state: LiveWindowState<PackedBytes | Buffer>,
    progress: SegmenterProgress | null,
    keyFrame: KeyFrame | null,
  ): void;
  /** Called by a mirror with the Periods of the manifest whose main stream this is, up to the newest part. */
  onPeriods(audience: Audience, state: PeriodsState): void;
  /** Called by a mirror: everyone who waits for a part fails with this error. More parts may follow. */
  onFailure(error: GatewayError): void;
  /** Since the last call. */
  onCounts(counts: FrameCounts): void;
}

export interface HostedRendition {
  /** Idempotent. */
  close(): void;
}

/**
 * Moves packaging from one thread to the other, right before a key frame: no frame is missing, and none comes twice.
 */
export interface PackagingSwitch {
  /**
   * Stops packaging at the next key frame, from which access units cross. `onStopped`: all parts have arrived, and that key
   * frame comes next.
   */
  stop(onStopped: () => void): void;
  /**
   * Call after `stop`, or before anything was ordered. `onStart`: a key frame comes next; renditions ordered during the
   * call are packaged from it on.
   */
  start(onStart: () => void): void;
}

export interface PackagingHost {
  /** Its parts have the numbers of another node's windows. */
  readonly isMirror: boolean;
  /** Packages from the next key frame on. */
  package(order: RenditionOrder, receiver: PartReceiver): HostedRendition;
  /** null: packaging cannot move. */
  readonly packagingSwitch: PackagingSwitch | null;
  /** Whether access units cross. They do until this is called; then from the newest key frame on. */
  passUnits(isWanted: boolean): void;
}

/** Reports what arrived while access units do not cross, at least once a second. */
export interface SourcePulse {
  /** Monotonic time at which the newest unit arrived. */
  readonly lastUnitMonoMs: number;
  /** Frames of the video since the pulse before. */
  readonly pictures: number;
  /** Arrival of the newest video and audio since the last pulse; null: none arrived. */
  readonly videoMonoMs: number | null;
  readonly soundMonoMs: number | null;
  /** Between the last two key frames; null before the second one. */
  readonly keyDistanceMs: number | null;
}
