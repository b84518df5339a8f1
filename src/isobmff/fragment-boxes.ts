/** Movie fragments: the samples of one part. ISO/IEC 14496-12 §8.8. Hot: written once per part and track. */

import type { BoxWriter } from './box-writer.ts';

/**
 * Samples in decoding order, as columns. Entry `i` of each column is sample `i`; columns can be longer than the
 * part in use. Durations and offsets are in ticks of the track.
 */
export interface SampleTable {
  readonly sizesBytes: Uint32Array;
  readonly durationsTicks: Uint32Array;
  /** Presentation time minus decoding time. */
  readonly compositionOffsetsTicks: Uint32Array;
  /** 1: the sample can be decoded on its own. */
  readonly keys: Uint8Array;
}

/** The samples of one track in one fragment. */
export interface TrackRun {
  readonly trackId: number;
  /** Decoding time of the first sample. */
  readonly startTicks: number;
  readonly samples: SampleTable;
  /** The first `sampleCount` samples of the table are written. */
  readonly sampleCount: number;
  /** The sum of their sizes. */
  readonly dataBytes: number;
}

const DEFAULT_BASE_IS_MOOF = 0x020000;
const DATA_OFFSET_PRESENT = 0x000001;
const SAMPLE_DURATION_PRESENT = 0x000100;
const SAMPLE_SIZE_PRESENT = 0x000200;
const SAMPLE_FLAGS_PRESENT = 0x000400;
const SAMPLE_COMPOSITION_OFFSET_PRESENT = 0x000800;
const TRUN_FLAGS =
  DATA_OFFSET_PRESENT |
  SAMPLE_DURATION_PRESENT |
  SAMPLE_SIZE_PRESENT |
  SAMPLE_FLAGS_PRESENT |
  SAMPLE_COMPOSITION_OFFSET_PRESENT;
/** sample_depends_on = 2: on no other. §8.8.3.1 */
const FLAGS_KEY_SAMPLE = 0x02000000;
/** sample_depends_on = 1, sample_is_non_sync_sample. */
const FLAGS_DELTA_SAMPLE = 0x01010000;

const BOX_HEADER_BYTES = 8;
const MFHD_BYTES = 16;
const TFHD_BYTES = 16;
const TFDT_BYTES = 20;
const TRUN_FIXED_BYTES = 20;
const TRUN_SAMPLE_BYTES = 16;

export const MDAT_HEADER_BYTES = BOX_HEADER_BYTES;

/** Size of the `moof` that `moof()` writes for these runs. */
export function moofBytes(runs: readonly TrackRun[]): number {
  let bytes = BOX_HEADER_BYTES + MFHD_BYTES;
  for (let i = 0; i < runs.length; i++) {
    bytes += BOX_HEADER_BYTES + TFHD_BYTES + TFDT_BYTES;
    bytes += TRUN_FIXED_BYTES + TRUN_SAMPLE_BYTES * runs[i]!.sampleCount;
  }
  return bytes;
}

/** §8.8.4. The data of the runs follows in the same order, right after the header of the `mdat` that must come next. */
export function moof(writer: BoxWriter, sequenceNumber: number, runs: readonly TrackRun[]): void {
  let dataOffset = moofBytes(runs) + MDAT_HEADER_BYTES;
  const box = writer.begin('moof');
  mfhd(writer, sequenceNumber);
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i]!;
    traf(writer, run, dataOffset);
    dataOffset += run.dataBytes;
  }
  writer.end(box);
}

/** §8.8.5 */
export function mfhd(writer: BoxWriter, sequenceNumber: number): void {
  const box = writer.beginFull('mfhd', 0, 0);
  writer.u32(sequenceNumber); // sequence_number
  writer.end(box);
}

/** §8.8.6 */
export function traf(writer: BoxWriter, run: TrackRun, dataOffset: number): void {
  const box = writer.begin('traf');
  tfhd(writer, run.trackId);
  tfdt(writer, run.startTicks);
  trun(writer, run.samples, run.sampleCount, dataOffset);
  writer.end(box);
}

/** §8.8.7 */
export function tfhd(writer: BoxWriter, trackId: number): void {
  const box = writer.beginFull('tfhd', 0, DEFAULT_BASE_IS_MOOF);
  writer.u32(trackId); // track_ID
  writer.end(box);
}

/** §8.8.12, version 1: 64 bits. */
export function tfdt(writer: BoxWriter, baseMediaDecodeTimeTicks: number): void {
  const box = writer.beginFull('tfdt', 1, 0);
  writer.u64(baseMediaDecodeTimeTicks); // baseMediaDecodeTime
  writer.end(box);
}

/** §8.8.8. `dataOffset` counts from the start of the `moof`. */
export function trun(writer: BoxWriter, samples: SampleTable, sampleCount: number, dataOffset: number): void {
  const box = writer.beginFull('trun', 0, TRUN_FLAGS);
  writer.u32(sampleCount); // sample_count
  writer.u32(dataOffset); // data_offset
  for (let i = 0; i < sampleCount; i++) {
    writer.u32(samples.durationsTicks[i]!); // sample_duration
    writer.u32(samples.sizesBytes[i]!); // sample_size
    writer.u32(samples.keys[i] === 1 ? FLAGS_KEY_SAMPLE : FLAGS_DELTA_SAMPLE); // sample_flags
    writer.u32(samples.compositionOffsetsTicks[i]!); // sample_composition_time_offset
  }
  writer.end(box);
}

/** §8.1.1: only the header; `dataBytes` of samples follow. */
export function mdatHeader(writer: BoxWriter, dataBytes: number): void {
  writer.u32(MDAT_HEADER_BYTES + dataBytes); // size
  writer.fourcc('mdat'); // type
}
