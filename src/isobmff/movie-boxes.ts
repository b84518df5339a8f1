/**
 * The movie header of a fragmented file: tracks without samples. ISO/IEC 14496-12 §8. CodedTrack IDs are positions in
 * the list, from 1. Creation times are zero, so the same tracks always give the same bytes.
 */

import type { CodedTrack } from '../codec/track.ts';
import type { BoxWriter } from './box-writer.ts';
import { writeMatrix } from './display-matrix.ts';
import { stsd } from './sample-entries.ts';

const LANGUAGE_UNDETERMINED = 0x55c4;
const TRACK_ENABLED_IN_MOVIE = 0x000003;
const DATA_IN_SAME_FILE = 0x000001;
/** The movie itself has no duration and no samples; only its timescale must be legal. */
const MOVIE_TIMESCALE_HZ = 1_000;

/** §8.2.1 */
export function moov(writer: BoxWriter, tracks: readonly CodedTrack[]): void {
  const box = writer.begin('moov');
  mvhd(writer, tracks.length + 1);
  tracks.forEach((track, index) => {
    trak(writer, track, index + 1);
  });
  mvex(writer, tracks.length);
  writer.end(box);
}

/** §8.2.2 */
export function mvhd(writer: BoxWriter, nextTrackId: number): void {
  const box = writer.beginFull('mvhd', 0, 0);
  writer.u32(0); // creation_time
  writer.u32(0); // modification_time
  writer.u32(MOVIE_TIMESCALE_HZ); // timescale
  writer.u32(0); // duration
  writer.u32(0x00010000); // rate, 1.0
  writer.u16(0x0100); // volume, 1.0
  writer.zeros(10); // reserved
  writeMatrix(writer); // matrix
  writer.zeros(24); // pre_defined
  writer.u32(nextTrackId); // next_track_ID
  writer.end(box);
}

/** §8.3.1 */
export function trak(writer: BoxWriter, track: CodedTrack, trackId: number): void {
  const box = writer.begin('trak');
  tkhd(writer, track, trackId);
  mdia(writer, track);
  writer.end(box);
}

/** §8.3.2 */
export function tkhd(writer: BoxWriter, track: CodedTrack, trackId: number): void {
  const isVideo = track.kind === 'video';
  const box = writer.beginFull('tkhd', 0, TRACK_ENABLED_IN_MOVIE);
  writer.u32(0); // creation_time
  writer.u32(0); // modification_time
  writer.u32(trackId); // track_ID
  writer.u32(0); // reserved
  writer.u32(0); // duration
  writer.zeros(8); // reserved
  writer.u16(0); // layer
  writer.u16(isVideo ? 0 : 1); // alternate_group
  writer.u16(isVideo ? 0 : 0x0100); // volume
  writer.u16(0); // reserved
  if (isVideo && 'turns' in track) writeMatrix(writer, track.turns, track.widthPx, track.heightPx);
  else writeMatrix(writer);
  writer.u16(isVideo ? track.widthPx : 0); // width, integer part
  writer.u16(0); // width, fraction
  writer.u16(isVideo ? track.heightPx : 0); // height, integer part
  writer.u16(0); // height, fraction
  writer.end(box);
}

/** §8.4.1 */
export function mdia(writer: BoxWriter, track: CodedTrack): void {
  const box = writer.begin('mdia');
  mdhd(writer, track.timescaleHz);
  hdlr(writer, track.kind);
  minf(writer, track);
  writer.end(box);
}

/** §8.4.2 */
export function mdhd(writer: BoxWriter, timescaleHz: number): void {
  const box = writer.beginFull('mdhd', 0, 0);
  writer.u32(0); // creation_time
  writer.u32(0); // modification_time
  writer.u32(timescaleHz); // timescale
  writer.u32(0); // duration
  writer.u16(LANGUAGE_UNDETERMINED); // language
  writer.u16(0); // pre_defined
  writer.end(box);
}

/** §8.4.3 */
export function hdlr(writer: BoxWriter, kind: CodedTrack['kind']): void {
  const box = writer.beginFull('hdlr', 0, 0);
  writer.u32(0); // pre_defined
  writer.fourcc(kind === 'video' ? 'vide' : 'soun'); // handler_type
  writer.zeros(12); // reserved
  writer.u8(0); // name, empty
  writer.end(box);
}

/** §8.4.4 */
export function minf(writer: BoxWriter, track: CodedTrack): void {
  const box = writer.begin('minf');
  if (track.kind === 'video') vmhd(writer);
  else smhd(writer);
  dinf(writer);
  stbl(writer, track);
  writer.end(box);
}

/** §12.1.2 */
export function vmhd(writer: BoxWriter): void {
  const box = writer.beginFull('vmhd', 0, 1);
  writer.u16(0); // graphicsmode, copy
  writer.zeros(6); // opcolor
  writer.end(box);
}

/** §12.2.2 */
export function smhd(writer: BoxWriter): void {
  const box = writer.beginFull('smhd', 0, 0);
  writer.u16(0); // balance, center
  writer.u16(0); // reserved
  writer.end(box);
}

/** §8.7.1, with a single `dref` entry that says: in this file. */
export function dinf(writer: BoxWriter): void {
  const box = writer.begin('dinf');
  const dref = writer.beginFull('dref', 0, 0);
  writer.u32(1); // entry_count
  const url = writer.beginFull('url ', 0, DATA_IN_SAME_FILE);
  writer.end(url);
  writer.end(dref);
  writer.end(box);
}

/** §8.5.1. The sample tables exist but are empty: samples come in fragments. */
export function stbl(writer: BoxWriter, track: CodedTrack): void {
  const box = writer.begin('stbl');
  stsd(writer, track);
  for (const type of ['stts', 'stsc', 'stco']) {
    const table = writer.beginFull(type, 0, 0);
    writer.u32(0); // entry_count
    writer.end(table);
  }
  const stsz = writer.beginFull('stsz', 0, 0);
  writer.u32(0); // sample_size
  writer.u32(0); // sample_count
  writer.end(stsz);
  writer.end(box);
}

/** §8.8.1 */
export function mvex(writer: BoxWriter, trackCount: number): void {
  const box = writer.begin('mvex');
  for (let trackId = 1; trackId <= trackCount; trackId++) trex(writer, trackId);
  writer.end(box);
}

/** §8.8.3. Every `trun` states everything that differs between samples. */
export function trex(writer: BoxWriter, trackId: number): void {
  const box = writer.beginFull('trex', 0, 0);
  writer.u32(trackId); // track_ID
  writer.u32(1); // default_sample_description_index
  writer.u32(0); // default_sample_duration
  writer.u32(0); // default_sample_size
  writer.u32(0); // default_sample_flags
  writer.end(box);
}
