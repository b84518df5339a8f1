/** Limits on segments and parts; durations in milliseconds of media time. */

export interface SegmenterLimits {
  readonly targetSegmentMs: number;
  readonly wantedPartMs: number;
  /** A segment is cut here if no key frame has ended it by then. */
  readonly maxSegmentMs: number;
  readonly maxSegmentBytes: number;
}

export const DEFAULT_SEGMENTER_LIMITS: SegmenterLimits = {
  targetSegmentMs: 2_000,
  wantedPartMs: 333,
  maxSegmentMs: 20_000,
  maxSegmentBytes: 32 * 1_048_576,
};
