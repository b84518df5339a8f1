/** The segmenter's output: CMAF chunks, which HLS calls Partial Segments. */

import type { PackagedTracks } from './packaged-tracks.ts';
import type { PackedBytes } from './part-bytes.ts';

/** Where the newest key frame of a part lies in its bytes. */
export interface KeySample {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  readonly epochMs: number;
}

export interface CmafPart {
  /** [styp] moof mdat. The code that takes the part releases them. */
  readonly bytes: PackedBytes;
  readonly tracks: PackagedTracks;
  /** Timescale of the two times that follow: the video's, or the audio's if there is only audio. */
  readonly timescaleHz: number;
  /** The decoding time of the first frame. */
  readonly startTicks: number;
  /** Exact sum of the frames' durations. */
  readonly durationTicks: number;
  /**
   * Output time minus source time, in seconds; constant on a timeline. Renditions of one source instance show the same
   * instant where their output times less this are equal.
   */
  readonly sourceOffsetSec: number;
  /** Frames of the video; 0 without video. */
  readonly pictures: number;
  /** Wall time of the first frame, epoch milliseconds. */
  readonly epochMs: number;
  readonly isSegmentStart: boolean;
  readonly isSegmentEnd: boolean;
  /** Begins with a key frame. */
  readonly isIndependent: boolean;
  /** Only true together with `isSegmentStart`. */
  readonly hasDiscontinuity: boolean;
  readonly keySample: KeySample | null;
}
