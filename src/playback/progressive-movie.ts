/**
 * The beginning of a progressive MP4: `ftyp`, `moov` with the sample tables, and the header of the `mdat` that follows.
 * Players can begin with it and request any range of the rest. ISO/IEC 14496-12 §8.
 */

import { BoxWriter } from '../isobmff/box-writer.ts';
import { writeMatrix } from '../isobmff/display-matrix.ts';
import { dinf, hdlr, smhd, vmhd } from '../isobmff/movie-boxes.ts';
import type { MovieTrack, RunLengths } from './movie-track.ts';

/** An edit list: which part of the media a track shows (§8.6.6). */
export interface Edit {
  /** Nothing is shown before, in ticks of the movie. */
  readonly emptyTicks: number;
  /** Where in the media it begins, in ticks of the media. */
  readonly mediaTicks: number;
  /** How long it lasts, in ticks of the movie. */
  readonly durationTicks: number;
}

export interface EditedTrack {
  readonly track: MovieTrack;
  readonly edit: Edit;
}

export interface ProgressiveMovie {
  readonly timescaleHz: number;
  readonly durationTicks: number;
  /** Wall time of its beginning, epoch milliseconds. */
  readonly startEpochMs: number;
  readonly tracks: readonly EditedTrack[];
  /** Bytes of all samples. */
  readonly dataBytes: number;
}

const BRANDS = ['isom', 'iso2', 'mp41'] as const;
const LARGEST_U32 = 2 ** 32 - 1;
/** 1904-01-01 to 1970-01-01 (§8.2.2.3). */
const SEC_FROM_1904_TO_1970 = 2_082_844_800;
/** More than all fixed fields of the movie, and of a track without its tables. */
const FIXED_BYTES = 1_024;
const LANGUAGE_UNDETERMINED = 0x55c4;
const TRACK_SHOWN = 0x000003;
const SHORT_MDAT_HEADER_BYTES = 8;
const LONG_MDAT_HEADER_BYTES = 16;
const NO_MEDIA = 0xffffffff;

/** A new buffer; the data of the chunks follows it, as their offsets say. */
export function writeMovieHead(movie: ProgressiveMovie): Buffer<ArrayBuffer> {
  const capacityBytes = capacityOf(movie);
  const isLong = capacityBytes + movie.dataBytes > LARGEST_U32;
  const writer = new BoxWriter(Buffer.allocUnsafe(capacityBytes));
  ftyp(writer);
  const tables: number[] = [];
  moov(writer, movie, isLong, tables);
  const headBytes = writer.position + (isLong ? LONG_MDAT_HEADER_BYTES : SHORT_MDAT_HEADER_BYTES);
  movie.tracks.forEach(({ track }, index) => {
    chunkOffsets(new BoxWriter(writer.bytes), tables[index]!, track, headBytes, isLong);
  });
  mdatHeader(writer, movie.dataBytes, isLong);
  // Alone in its memory, so that it can be moved to another thread.
  const head = Buffer.allocUnsafeSlow(writer.position);
  writer.bytes.copy(head);
  return head;
}

function capacityOf({ tracks }: ProgressiveMovie): number {
  let bytes = FIXED_BYTES;
  for (const { track } of tracks) {
    bytes += FIXED_BYTES;
    for (const entry of track.sampleEntries) bytes += entry.length;
    bytes += 8 * (track.durations.counts.length + track.compositionOffsets.counts.length);
    bytes += 4 * (track.sizesBytes.length + track.syncSamples.length);
    // An entry of stsc and an offset of 64 bits each.
    bytes += (12 + 8) * track.chunks.length;
  }
  return bytes;
}

/** §4.3 */
function ftyp(writer: BoxWriter): void {
  const box = writer.begin('ftyp');
  writer.fourcc(BRANDS[0]); // major_brand
  writer.u32(0x200); // minor_version
  for (const brand of BRANDS) writer.fourcc(brand); // compatible_brands
  writer.end(box);
}

/** §8.2.1. Appends where the chunk offsets of each track are. */
function moov(writer: BoxWriter, movie: ProgressiveMovie, isLong: boolean, tables: number[]): void {
  const box = writer.begin('moov');
  const createdSec = Math.floor(movie.startEpochMs / 1_000) + SEC_FROM_1904_TO_1970;
  mvhd(writer, movie, createdSec);
  movie.tracks.forEach((edited, index) => {
    tables.push(trak(writer, edited, index + 1, createdSec, isLong));
  });
  writer.end(box);
}

/** §8.2.2 */
function mvhd(writer: BoxWriter, movie: ProgressiveMovie, createdSec: number): void {
  const box = writer.beginFull('mvhd', 0, 0);
  writer.u32(createdSec); // creation_time
  writer.u32(createdSec); // modification_time
  writer.u32(movie.timescaleHz); // timescale
  writer.u32(movie.durationTicks); // duration
  writer.u32(0x00010000); // rate, 1.0
  writer.u16(0x0100); // volume, 1.0
  writer.zeros(10); // reserved
  writeMatrix(writer); // matrix
  writer.zeros(24); // pre_defined
  writer.u32(movie.tracks.length + 1); // next_track_ID
  writer.end(box);
}

/** §8.3.1. Returns where its chunk offsets are. */
function trak(
  writer: BoxWriter,
  { track, edit }: EditedTrack,
  trackId: number,
  createdSec: number,
  isLong: boolean,
): number {
  const box = writer.begin('trak');
  tkhd(writer, track, trackId, createdSec, edit.emptyTicks + edit.durationTicks);
  edts(writer, edit);
  const mdia = writer.begin('mdia');
  mdhd(writer, track, createdSec);
  hdlr(writer, track.kind);
  const minf = writer.begin('minf');
  if (track.kind === 'video') vmhd(writer);
  else smhd(writer);
  dinf(writer);
  const table = stbl(writer, track, isLong);
  writer.end(minf);
  writer.end(mdia);
  writer.end(box);
  return table;
}

/** §8.3.2 */
function tkhd(
  writer: BoxWriter,
  track: MovieTrack,
  trackId: number,
  createdSec: number,
  durationTicks: number,
): void {
  const isVideo = track.kind === 'video';
  const box = writer.beginFull('tkhd', 0, TRACK_SHOWN);
  writer.u32(createdSec); // creation_time
  writer.u32(createdSec); // modification_time
  writer.u32(trackId); // track_ID
  writer.u32(0); // reserved
  writer.u32(durationTicks); // duration
  writer.zeros(8); // reserved
  writer.u16(0); // layer
  writer.u16(isVideo ? 0 : 1); // alternate_group
  writer.u16(isVideo ? 0 : 0x0100); // volume
  writer.u16(0); // reserved
  writeMatrix(writer, track.turns, track.widthPx, track.heightPx); // matrix
  writer.u16(track.widthPx); // width, integer part
  writer.u16(0); // width, fraction
  writer.u16(track.heightPx); // height, integer part
  writer.u16(0); // height, fraction
  writer.end(box);
}

/** §8.6.5, §8.6.6 */
function edts(writer: BoxWriter, { emptyTicks, mediaTicks, durationTicks }: Edit): void {
  const box = writer.begin('edts');
  const elst = writer.beginFull('elst', 0, 0);
  writer.u32(emptyTicks > 0 ? 2 : 1); // entry_count
  if (emptyTicks > 0) {
    writer.u32(emptyTicks); // segment_duration
    writer.u32(NO_MEDIA); // media_time
    writer.u32(0x00010000); // media_rate, 1.0
  }
  writer.u32(durationTicks); // segment_duration
  writer.u32(mediaTicks); // media_time
  writer.u32(0x00010000); // media_rate, 1.0
  writer.end(elst);
  writer.end(box);
}

/** §8.4.2 */
function mdhd(writer: BoxWriter, track: MovieTrack, createdSec: number): void {
  const box = writer.beginFull('mdhd', 0, 0);
  writer.u32(createdSec); // creation_time
  writer.u32(createdSec); // modification_time
  writer.u32(track.timescaleHz); // timescale
  writer.u32(track.endTicks - track.firstTicks); // duration
  writer.u16(LANGUAGE_UNDETERMINED); // language
  writer.u16(0); // pre_defined
  writer.end(box);
}

/** §8.5.1. Returns where the first chunk offset is; they are written when the size of the head is known. */
function stbl(writer: BoxWriter, track: MovieTrack, isLong: boolean): number {
  const box = writer.begin('stbl');
  const stsd = writer.beginFull('stsd', 0, 0);
  writer.u32(track.sampleEntries.length); // entry_count
  for (const entry of track.sampleEntries) writer.put(entry);
  writer.end(stsd);
  runLengths(writer, 'stts', 0, track.durations);
  const { values } = track.compositionOffsets;
  // Version 1 has signed offsets (§8.6.1.3).
  const isSigned = values.some((value) => value < 0);
  if (values.length > 1 || values[0] !== 0) {
    runLengths(writer, 'ctts', isSigned ? 1 : 0, track.compositionOffsets);
  }
  // Without this table, every sample is a sync sample (§8.6.2).
  if (track.syncSamples.length < track.samples) {
    const stss = writer.beginFull('stss', 0, 0);
    writer.u32(track.syncSamples.length); // entry_count
    for (let i = 0; i < track.syncSamples.length; i++) writer.u32(track.syncSamples.at(i)); // sample_number
    writer.end(stss);
  }
  stsc(writer, track);
  const stsz = writer.beginFull('stsz', 0, 0);
  writer.u32(0); // sample_size: they differ
  writer.u32(track.samples); // sample_count
  for (let i = 0; i < track.samples; i++) writer.u32(track.sizesBytes.at(i)); // entry_size
  writer.end(stsz);
  const offsets = writer.beginFull(isLong ? 'co64' : 'stco', 0, 0);
  writer.u32(track.chunks.length); // entry_count
  const table = writer.position;
  writer.zeros((isLong ? 8 : 4) * track.chunks.length); // chunk_offset
  writer.end(offsets);
  writer.end(box);
  return table;
}

/** §8.6.1.2, §8.6.1.3 */
function runLengths(writer: BoxWriter, type: string, version: number, { counts, values }: RunLengths): void {
  const box = writer.beginFull(type, version, 0);
  writer.u32(counts.length); // entry_count
  for (let i = 0; i < counts.length; i++) {
    writer.u32(counts[i]!); // sample_count
    writer.u32(values[i]! >>> 0); // sample_delta, sample_offset
  }
  writer.end(box);
}

/** §8.7.4: one entry wherever a chunk differs from the one before. */
function stsc(writer: BoxWriter, { chunks }: MovieTrack): void {
  const box = writer.beginFull('stsc', 0, 0);
  const countAt = writer.position;
  writer.u32(0); // entry_count, see below
  let entries = 0;
  for (let i = 0; i < chunks.length; i++) {
    const { samples, descriptionIndex } = chunks[i]!;
    const before = chunks[i - 1];
    if (before?.samples === samples && before.descriptionIndex === descriptionIndex) continue;
    writer.u32(i + 1); // first_chunk
    writer.u32(samples); // samples_per_chunk
    writer.u32(descriptionIndex); // sample_description_index
    entries++;
  }
  writer.bytes.writeUInt32BE(entries, countAt);
  writer.end(box);
}

/** §8.7.5 */
function chunkOffsets(
  writer: BoxWriter,
  table: number,
  { chunks }: MovieTrack,
  headBytes: number,
  isLong: boolean,
): void {
  writer.position = table;
  for (const { dataOffset } of chunks) {
    if (isLong) writer.u64(headBytes + dataOffset);
    else writer.u32(headBytes + dataOffset);
  }
}

/** §8.1.1 */
function mdatHeader(writer: BoxWriter, dataBytes: number, isLong: boolean): void {
  writer.u32(isLong ? 1 : SHORT_MDAT_HEADER_BYTES + dataBytes); // size
  writer.fourcc('mdat'); // type
  if (isLong) writer.u64(LONG_MDAT_HEADER_BYTES + dataBytes); // largesize
}
