/**
 * One track of a file with several: players of DASH take one track per representation, and viewers who may not hear a
 * camera get its video alone. Samples and their times stay as they are. ISO/IEC 14496-12 §8.8.
 */

import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import {
  emptyRunSample,
  MAX_RUN_SAMPLES,
  readRunHeader,
  readRunSample,
  readTrackFragmentHeader,
  type SampleDefaults,
} from './track-fragment.ts';

const MOOV = fourCc('moov');
const TRAK = fourCc('trak');
const TKHD = fourCc('tkhd');
const MVEX = fourCc('mvex');
const TREX = fourCc('trex');
const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');
const TRAF = fourCc('traf');
const TFHD = fourCc('tfhd');
const TRUN = fourCc('trun');

const BOX_HEADER_BYTES = 8;

/** The data of one run, and where the run says it. */
interface Run {
  readonly dataOffset: number;
  readonly dataBytes: number;
  /** Position of `data_offset` in the file. */
  readonly fieldOffset: number;
}

/** A Media Initialization Section with only this track; the others' boxes are left out. Fails ISOBMFF_… */
export function singleTrackInit(init: Uint8Array, trackId: number): Buffer {
  const pieces: Uint8Array[] = [];
  let hasTrack = false;
  for (const { type, start, cursor } of boxesOf(new BoxCursor(init, 0, init.length))) {
    if (type !== MOOV) {
      pieces.push(init.subarray(start, cursor.end));
      continue;
    }
    const kept: Uint8Array[] = [];
    for (const child of boxesOf(cursor.children())) {
      const whole = init.subarray(child.start, child.cursor.end);
      if (child.type === MVEX) kept.push(trackExtends(init, child.cursor, trackId));
      else if (child.type !== TRAK) kept.push(whole);
      else if (trackIdOf(child.cursor.children()) === trackId) {
        hasTrack = true;
        kept.push(whole);
      }
    }
    pieces.push(box('moov', kept));
  }
  if (!hasTrack) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'trak', trackId });
  return Buffer.concat(pieces);
}

/**
 * The fragments of a Media Segment with only this track: [styp] (moof mdat)*. A fragment without it is left out. Fails
 * ISOBMFF_…; also for data that is not placed from the start of its `moof`.
 */
export function singleTrackSegment(segment: Uint8Array, trackId: number): Buffer {
  const pieces: Uint8Array[] = [];
  for (const { type, start, cursor } of boxesOf(new BoxCursor(segment, 0, segment.length))) {
    if (type === MOOF) addFragment(pieces, segment, start, cursor, trackId);
    else if (type !== MDAT) pieces.push(segment.subarray(start, cursor.end));
  }
  return Buffer.concat(pieces);
}

interface FoundBox {
  readonly type: number;
  readonly start: number;
  /** Only valid until the next box. */
  readonly cursor: BoxCursor;
}

function* boxesOf(cursor: BoxCursor): Generator<FoundBox> {
  for (let start = cursor.end; cursor.next(); start = cursor.end) {
    yield { type: cursor.type, start, cursor };
  }
}

function addFragment(
  pieces: Uint8Array[],
  segment: Uint8Array,
  moofStart: number,
  moof: BoxCursor,
  trackId: number,
): void {
  const kept: Uint8Array[] = [];
  const runs: { run: Run; pieceStart: number; piece: Buffer }[] = [];
  for (const { type, start, cursor } of boxesOf(moof.children())) {
    if (type !== TRAF) {
      kept.push(segment.subarray(start, cursor.end));
      continue;
    }
    const found = runsOf(cursor.children(), trackId);
    if (found === null) continue;
    const piece = Buffer.from(segment.subarray(start, cursor.end));
    for (const run of found) runs.push({ run, pieceStart: start, piece });
    kept.push(piece);
  }
  if (runs.length === 0) return;
  const moofBytes = BOX_HEADER_BYTES + bytesOf(kept);
  const data: Uint8Array[] = [];
  let dataOffset = moofBytes + BOX_HEADER_BYTES;
  for (const { run, piece, pieceStart } of runs) {
    piece.writeInt32BE(dataOffset, run.fieldOffset - pieceStart);
    const from = moofStart + run.dataOffset;
    if (run.dataOffset < 0 || from + run.dataBytes > segment.length) {
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_SAMPLE_OUTSIDE, { offset: run.dataOffset });
    }
    data.push(segment.subarray(from, from + run.dataBytes));
    dataOffset += run.dataBytes;
  }
  pieces.push(header('moof', moofBytes), ...kept, header('mdat', BOX_HEADER_BYTES + bytesOf(data)), ...data);
}

/** null: of another track. */
function runsOf(traf: BoxCursor, trackId: number): Run[] | null {
  const runs: Run[] = [];
  let defaults: SampleDefaults = { durationTicks: 0, sizeBytes: 0, flags: 0 };
  for (const { type, cursor } of boxesOf(traf)) {
    if (type === TFHD) {
      const { baseDataOffset, isBaseMoof, ...said } = readTrackFragmentHeader(cursor);
      if (said.trackId !== trackId) return null;
      if (baseDataOffset !== null || !isBaseMoof) {
        throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, {
          box: 'tfhd',
          baseDataOffset,
          isBaseMoof,
        });
      }
      defaults = { ...defaults, sizeBytes: said.sizeBytes ?? 0 };
    } else if (type === TRUN) runs.push(readRun(cursor, defaults));
  }
  return runs;
}

function readRun(trun: BoxCursor, defaults: SampleDefaults): Run {
  const run = readRunHeader(trun, MAX_RUN_SAMPLES);
  const { dataOffset, dataOffsetPosition: fieldOffset } = run;
  if (dataOffset === null)
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'trun', dataOffset });
  const sample = emptyRunSample();
  let dataBytes = 0;
  for (let index = 0; index < run.sampleCount; index++) {
    readRunSample(trun, run, index, defaults, sample);
    dataBytes += sample.sizeBytes;
  }
  return { dataOffset, dataBytes, fieldOffset };
}

/** §8.3.2 */
function trackIdOf(trak: BoxCursor): number {
  for (const { type, cursor } of boxesOf(trak)) {
    if (type !== TKHD) continue;
    const version = cursor.u8();
    cursor.skip(3 + (version === 1 ? 16 : 8)); // flags, creation_time, modification_time
    return cursor.u32();
  }
  throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'tkhd' });
}

/** §8.8.1, with the defaults of this track (§8.8.3). */
function trackExtends(init: Uint8Array, mvex: BoxCursor, trackId: number): Buffer {
  const kept: Uint8Array[] = [];
  for (const { type, start, cursor } of boxesOf(mvex.children())) {
    if (type === TREX) {
      cursor.skip(4); // version, flags
      if (cursor.u32() !== trackId) continue;
    }
    kept.push(init.subarray(start, cursor.end));
  }
  return box('mvex', kept);
}

function box(type: string, content: readonly Uint8Array[]): Buffer {
  return Buffer.concat([header(type, BOX_HEADER_BYTES + bytesOf(content)), ...content]);
}

function header(type: string, boxBytes: number): Buffer {
  const bytes = Buffer.alloc(BOX_HEADER_BYTES);
  bytes.writeUInt32BE(boxBytes, 0);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
