/**
 * A part as numbers at fixed places, for other threads and other nodes: who reads it makes no more objects than it keeps. Both
 * have the same order of bytes.
 */

import type { CmafPart } from './part.ts';
import type { SegmenterProgress } from './segmenter-progress.ts';

/** A part without its bytes and tracks, and its figures. */
export interface NumberedPart {
  readonly part: Omit<CmafPart, 'bytes' | 'tracks'>;
  readonly partTargetMs: number;
  /** Where the part ends. */
  readonly progress: SegmenterProgress;
}

/** As many as `writePartNumbers` writes. */
export const PART_NUMBERS = 16;

const SEGMENT_START = 1;
const SEGMENT_END = 2;
const INDEPENDENT = 4;
const DISCONTINUITY = 8;
const HAS_KEY = 16;
const HAS_ENDED_SEGMENT = 32;
const HAS_SETS_IN_BAND = 64;

/** Hot: once per part. */
export function writePartNumbers(f64: Float64Array, at: number, numbered: NumberedPart): void {
  const { part, progress } = numbered;
  const { keySample } = part;
  f64[at] = flagsOf(numbered);
  f64[at + 1] = part.timescaleHz;
  f64[at + 2] = part.startTicks;
  f64[at + 3] = part.durationTicks;
  f64[at + 4] = part.sourceOffsetSec;
  f64[at + 5] = part.pictures;
  f64[at + 6] = part.epochMs;
  f64[at + 7] = keySample?.offsetBytes ?? 0;
  f64[at + 8] = keySample?.sizeBytes ?? 0;
  f64[at + 9] = keySample?.epochMs ?? 0;
  f64[at + 10] = numbered.partTargetMs;
  f64[at + 11] = progress.endTicks;
  f64[at + 12] = progress.timescaleHz;
  f64[at + 13] = progress.soundEndSec;
  f64[at + 14] = progress.partTargetMs;
  f64[at + 15] = progress.sequenceNumber;
}

/** Hot: once per part. */
export function readPartNumbers(f64: Float64Array, at: number): NumberedPart {
  const flags = f64[at]!;
  return {
    part: {
      timescaleHz: f64[at + 1]!,
      startTicks: f64[at + 2]!,
      durationTicks: f64[at + 3]!,
      sourceOffsetSec: f64[at + 4]!,
      pictures: f64[at + 5]!,
      epochMs: f64[at + 6]!,
      isSegmentStart: (flags & SEGMENT_START) !== 0,
      isSegmentEnd: (flags & SEGMENT_END) !== 0,
      isIndependent: (flags & INDEPENDENT) !== 0,
      hasDiscontinuity: (flags & DISCONTINUITY) !== 0,
      keySample:
        (flags & HAS_KEY) === 0
          ? null
          : { offsetBytes: f64[at + 7]!, sizeBytes: f64[at + 8]!, epochMs: f64[at + 9]! },
    },
    partTargetMs: f64[at + 10]!,
    progress: {
      endTicks: f64[at + 11]!,
      timescaleHz: f64[at + 12]!,
      soundEndSec: f64[at + 13]!,
      partTargetMs: f64[at + 14]!,
      hasEndedSegment: (flags & HAS_ENDED_SEGMENT) !== 0,
      hasSetsInBand: (flags & HAS_SETS_IN_BAND) !== 0,
      sequenceNumber: f64[at + 15]!,
    },
  };
}

function flagsOf({ part, progress }: NumberedPart): number {
  return (
    (part.isSegmentStart ? SEGMENT_START : 0) |
    (part.isSegmentEnd ? SEGMENT_END : 0) |
    (part.isIndependent ? INDEPENDENT : 0) |
    (part.hasDiscontinuity ? DISCONTINUITY : 0) |
    (part.keySample === null ? 0 : HAS_KEY) |
    (progress.hasEndedSegment ? HAS_ENDED_SEGMENT : 0) |
    (progress.hasSetsInBand ? HAS_SETS_IN_BAND : 0)
  );
}
