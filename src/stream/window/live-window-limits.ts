/** Limits on the live window; durations in milliseconds of media time. */

import { LIMITS } from '../../core/limits/registry.ts';

export interface LiveWindowLimits {
  /** Initial EXT-X-TARGETDURATION, rounded to whole seconds. */
  readonly targetSegmentMs: number;
  /**
   * Minimum duration of the complete segments in a playlist. Above six target durations, delta updates have an effect.
   */
  readonly windowMs: number;
  /** Above this the oldest segments are forgotten early. */
  readonly maxWindowBytes: number;
  readonly maxWaiters: number;
}

export const DEFAULT_LIVE_WINDOW_LIMITS: LiveWindowLimits = {
  targetSegmentMs: 2_000,
  windowMs: 16_000,
  maxWindowBytes: 128 * 1_048_576,
  // Never reached: one link's viewers must not keep those of another one from the same camera. The pools before share them out.
  maxWaiters: LIMITS.waitingRequests.total + LIMITS.sharedWaiting.total,
};

/**
 * How long a client may wait for the first whole segment: its duration is not yet known, and the target duration does
 * not help. The longest group of pictures that makes a segment (`maxSegmentMs`), plus 5 s.
 */
export const FIRST_SEGMENT_WAIT_MS = 25_000;
