/** The boxes of a Track Fragment Box, field by field. ISO/IEC 14496-12 §8.8.7, §8.8.8 and §8.8.12. */

import { GatewayError } from '../core/errors.ts';
import type { BoxCursor } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';

/** Samples in one run. A part has at most a few hundred; of an ffmpeg worker we ask for one a fragment. */
export const MAX_RUN_SAMPLES = 10_000;

/** §8.8.7.1 */
const TFHD_BASE_DATA_OFFSET = 0x1;
const TFHD_DESCRIPTION_INDEX = 0x2;
const TFHD_DEFAULT_DURATION = 0x8;
const TFHD_DEFAULT_SIZE = 0x10;
const TFHD_DEFAULT_FLAGS = 0x20;
const TFHD_DEFAULT_BASE_IS_MOOF = 0x20000;

/** §8.8.8.1 */
const TRUN_DATA_OFFSET = 0x1;
const TRUN_FIRST_SAMPLE_FLAGS = 0x4;
const TRUN_DURATION = 0x100;
const TRUN_SIZE = 0x200;
const TRUN_FLAGS = 0x400;
const TRUN_COMPOSITION_OFFSET = 0x800;

const SAMPLE_IS_NON_SYNC = 0x10000;

/** Values of samples whose run does not state them. */
export interface SampleDefaults {
  readonly durationTicks: number;
  readonly sizeBytes: number;
  readonly flags: number;
}

/** null: the box does not say. */
export interface TrackFragmentHeader {
  readonly trackId: number;
  readonly baseDataOffset: number | null;
  readonly isBaseMoof: boolean;
  readonly durationTicks: number | null;
  readonly sizeBytes: number | null;
  readonly flags: number | null;
}

export interface RunHeader {
  readonly version: number;
  /** The fields that the run has. */
  readonly present: number;
  readonly sampleCount: number;
  /** Where the box says `dataOffset`. */
  readonly dataOffsetPosition: number;
  /** null: the data follows that of the run before. */
  readonly dataOffset: number | null;
  /** null: as those of any other sample. */
  readonly firstFlags: number | null;
}

/** Written by `readRunSample`. */
export interface RunSample {
  durationTicks: number;
  sizeBytes: number;
  isKey: boolean;
  /** Presentation time minus decoding time. */
  compositionTicks: number;
}

/** Fields of a `tfhd`. Fails ISOBMFF_BOX_… */
export function readTrackFragmentHeader(tfhd: BoxCursor): TrackFragmentHeader {
  tfhd.skip(1); // version
  const present = tfhd.u24();
  const trackId = tfhd.u32();
  const baseDataOffset = (present & TFHD_BASE_DATA_OFFSET) !== 0 ? tfhd.u64() : null;
  if ((present & TFHD_DESCRIPTION_INDEX) !== 0) tfhd.skip(4);
  return {
    trackId,
    baseDataOffset,
    isBaseMoof: (present & TFHD_DEFAULT_BASE_IS_MOOF) !== 0,
    durationTicks: (present & TFHD_DEFAULT_DURATION) !== 0 ? tfhd.u32() : null,
    sizeBytes: (present & TFHD_DEFAULT_SIZE) !== 0 ? tfhd.u32() : null,
    flags: (present & TFHD_DEFAULT_FLAGS) !== 0 ? tfhd.u32() : null,
  };
}

/** Decoding time of the first sample by a `tfdt`, in ticks. Fails ISOBMFF_BOX_… */
export function readDecodeTime(tfdt: BoxCursor): number {
  const version = tfdt.u8();
  tfdt.skip(3);
  return version === 1 ? tfdt.u64() : tfdt.u32();
}

/**
 * Fields of a `trun` before its samples, which `readRunSample` reads next. Fails ISOBMFF_BOX_…, and ISOBMFF_LIMIT for
 * more than `maxSamples`: a run whose samples have no fields can claim any number.
 */
export function readRunHeader(trun: BoxCursor, maxSamples: number): RunHeader {
  const version = trun.u8();
  const present = trun.u24();
  const sampleCount = trun.u32();
  if (sampleCount > maxSamples) {
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'trun', samples: sampleCount });
  }
  const dataOffsetPosition = trun.position;
  const dataOffset = (present & TRUN_DATA_OFFSET) !== 0 ? trun.i32() : null;
  const firstFlags = (present & TRUN_FIRST_SAMPLE_FLAGS) !== 0 ? trun.u32() : null;
  return { version, present, sampleCount, dataOffsetPosition, dataOffset, firstFlags };
}

/** The sample `index` of a run: call it for each, in order. Hot. Fails ISOBMFF_BOX_TRUNCATED. */
export function readRunSample(
  trun: BoxCursor,
  { version, present, firstFlags }: RunHeader,
  index: number,
  defaults: SampleDefaults,
  into: RunSample,
): void {
  into.durationTicks = (present & TRUN_DURATION) !== 0 ? trun.u32() : defaults.durationTicks;
  into.sizeBytes = (present & TRUN_SIZE) !== 0 ? trun.u32() : defaults.sizeBytes;
  let flags = (present & TRUN_FLAGS) !== 0 ? trun.u32() : defaults.flags;
  if (index === 0 && firstFlags !== null) flags = firstFlags;
  into.isKey = (flags & SAMPLE_IS_NON_SYNC) === 0;
  into.compositionTicks = 0;
  if ((present & TRUN_COMPOSITION_OFFSET) !== 0)
    into.compositionTicks = version === 0 ? trun.u32() : trun.i32();
}

/** Room for `readRunSample`. */
export function emptyRunSample(): RunSample {
  return { durationTicks: 0, sizeBytes: 0, isKey: false, compositionTicks: 0 };
}
