/** A part that the segmenter has cut, and that waits for its audio. */

export interface ClosedPart {
  readonly pictures: number;
  readonly durationTicks: number;
  readonly isSegmentStart: boolean;
  readonly isSegmentEnd: boolean;
  readonly hasDiscontinuity: boolean;
  /** Index in its segment. */
  readonly segmentIndex: number;
}
