/** State that a segmenter needs to continue another one's work, in this thread or another one. Plain values. */

export interface SegmenterProgress {
  /** End of the video written so far, on the output timeline, in ticks of `timescaleHz`. */
  readonly endTicks: number;
  readonly timescaleHz: number;
  /** End of the audio written so far; 0 if there was none. */
  readonly soundEndSec: number;
  /** Never becomes less. */
  readonly partTargetMs: number;
  readonly hasEndedSegment: boolean;
  /** See SetsInBand. */
  readonly hasSetsInBand: boolean;
  /** Number of the newest fragment. */
  readonly sequenceNumber: number;
}

/** Frames that a segmenter saw. */
export interface FrameCounts {
  /** Video and audio, including dropped ones. */
  readonly frames: number;
  /** Those of the video. */
  readonly pictures: number;
  /** Dropped ones, in the order of DROP_REASONS. */
  readonly drops: readonly number[];
}
