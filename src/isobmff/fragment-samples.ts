/**
 * The samples of a recorded segment, from its movie fragments alone: sizes, durations, composition offsets and where
 * their data lies. The data itself is not read. ISO/IEC 14496-12 §8.8.
 */

import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import {
  emptyRunSample,
  MAX_RUN_SAMPLES,
  readDecodeTime,
  readRunHeader,
  readRunSample,
  readTrackFragmentHeader,
  type SampleDefaults,
} from './track-fragment.ts';

/** Exactly these bytes of a recording file; rejects if there are fewer. */
export type ReadBytes = (name: string, offset: number, length: number) => Promise<Buffer>;

/** A range of a file in the storage. */
export interface FileSpan {
  readonly name: string;
  readonly offset: number;
  readonly byteLength: number;
}

/** The samples of one track in one fragment, in decoding order. Their data is contiguous. */
export interface SampleRun {
  readonly trackId: number;
  /** Decoding time of the first sample. */
  readonly startTicks: number;
  /** Where the data of the first sample lies in its file. */
  readonly dataOffset: number;
  readonly sizesBytes: Uint32Array;
  readonly durationsTicks: Uint32Array;
  /** Presentation time minus decoding time; signed. */
  readonly compositionTicks: Int32Array;
  /** 1: a sync sample. */
  readonly keys: Uint8Array;
}

/** Limit of one fragment's `moof`. A part with its audio takes a kilobyte. */
const MAX_MOOF_BYTES = 4 * 1_048_576;
/** Bytes that are read in one step where a fragment is expected: its `moof` and the header of the `mdat`, as a rule. */
const PROBE_BYTES = 4_096;
/** Segments up to this size are read whole: that costs less than one call per fragment. */
const SMALL_SEGMENT_BYTES = 128 * 1_024;
const BOX_HEADER_BYTES = 8;

const MOOF = fourCc('moof');
const TRAF = fourCc('traf');
const TFHD = fourCc('tfhd');
const TFDT = fourCc('tfdt');
const TRUN = fourCc('trun');

/** The runs of a segment in the order of the file. Fails ISOBMFF_…, or like `read`. */
export function readSegmentRuns(read: ReadBytes, segment: FileSpan): Promise<SampleRun[]> {
  return readRuns(read, segment, Number.POSITIVE_INFINITY);
}

/** Those of its first fragment alone. */
export function readFirstRuns(read: ReadBytes, segment: FileSpan): Promise<SampleRun[]> {
  return readRuns(read, segment, 1);
}

async function readRuns(read: ReadBytes, segment: FileSpan, mostFragments: number): Promise<SampleRun[]> {
  const bytes = new Window(read, segment);
  const runs: SampleRun[] = [];
  let fragments = 0;
  const end = segment.offset + segment.byteLength;
  let at = segment.offset;
  while (at < end && fragments < mostFragments) {
    const box = await bytes.boxAt(at);
    if (box.type === MOOF) {
      fragments++;
      if (box.byteLength > MAX_MOOF_BYTES)
        throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'moof' });
      readMovieFragment(await bytes.get(at, box.byteLength), at, end, runs);
    }
    at += box.byteLength;
  }
  return runs;
}

/** The bytes of a segment that were read last: boxes that follow each other are mostly in them. */
class Window {
  readonly #read: ReadBytes;
  readonly #segment: FileSpan;
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;

  constructor(read: ReadBytes, segment: FileSpan) {
    this.#read = read;
    this.#segment = segment;
  }

  /** Type and size of the box there. */
  async boxAt(offset: number): Promise<{ type: number; byteLength: number }> {
    const header = await this.get(offset, BOX_HEADER_BYTES);
    const byteLength = header.readUInt32BE(0);
    const { name, offset: start, byteLength: total } = this.#segment;
    // Recorded boxes never need 64-bit sizes.
    if (byteLength < BOX_HEADER_BYTES || offset + byteLength > start + total) {
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_SIZE, { name, offset, byteLength });
    }
    return { type: header.readUInt32BE(4), byteLength };
  }

  /** Borrowed until the next call. */
  async get(offset: number, length: number): Promise<Buffer> {
    const isHere = offset >= this.#offset && offset + length <= this.#offset + this.#bytes.length;
    if (!isHere) {
      const { name, offset: start, byteLength: total } = this.#segment;
      const left = start + total - offset;
      if (length > left) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_TRUNCATED, { name, offset });
      const wanted = total <= SMALL_SEGMENT_BYTES ? left : Math.min(left, Math.max(length, PROBE_BYTES));
      this.#bytes = await this.#read(name, offset, wanted);
      this.#offset = offset;
    }
    return this.#bytes.subarray(offset - this.#offset, offset - this.#offset + length);
  }
}

/** `moof` is the whole box, which lies at `moofOffset` of its file. Samples must end before `endOffset`. */
function readMovieFragment(moof: Buffer, moofOffset: number, endOffset: number, runs: SampleRun[]): void {
  const top = new BoxCursor(moof, 0, moof.length);
  top.next();
  for (const traf = top.children(); traf.next(); ) {
    if (traf.type === TRAF) readTrackFragment(traf.children(), moofOffset, endOffset, runs);
  }
}

function readTrackFragment(box: BoxCursor, moofOffset: number, endOffset: number, runs: SampleRun[]): void {
  let defaults: SampleDefaults = { durationTicks: 0, sizeBytes: 0, flags: 0 };
  let trackId = 0;
  let startTicks = 0;
  let dataOffset = moofOffset;
  while (box.next()) {
    if (box.type === TFHD) {
      const header = readTrackFragmentHeader(box);
      if (header.baseDataOffset !== null) {
        throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'tfhd', moofOffset });
      }
      trackId = header.trackId;
      const { durationTicks, sizeBytes, flags } = header;
      defaults = { durationTicks: durationTicks ?? 0, sizeBytes: sizeBytes ?? 0, flags: flags ?? 0 };
    } else if (box.type === TFDT) {
      startTicks = readDecodeTime(box);
    } else if (box.type === TRUN) {
      const run = readRun(box, { trackId, startTicks, dataOffset, moofOffset }, defaults);
      startTicks += sum(run.durationsTicks);
      dataOffset = run.dataOffset + sum(run.sizesBytes);
      if (dataOffset > endOffset) {
        throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_SAMPLE_OUTSIDE, { moofOffset });
      }
      if (run.sizesBytes.length > 0) runs.push(run);
    }
  }
}

/** `dataOffset`: where the data begins if the run does not say. */
function readRun(
  box: BoxCursor,
  at: { trackId: number; startTicks: number; dataOffset: number; moofOffset: number },
  defaults: SampleDefaults,
): SampleRun {
  const { trackId, startTicks, moofOffset } = at;
  const header = readRunHeader(box, MAX_RUN_SAMPLES);
  const count = header.sampleCount;
  const dataOffset = header.dataOffset === null ? at.dataOffset : moofOffset + header.dataOffset;
  const sizesBytes = new Uint32Array(count);
  const durationsTicks = new Uint32Array(count);
  const compositionTicks = new Int32Array(count);
  const keys = new Uint8Array(count);
  const sample = emptyRunSample();
  for (let i = 0; i < count; i++) {
    readRunSample(box, header, i, defaults, sample);
    durationsTicks[i] = sample.durationTicks;
    sizesBytes[i] = sample.sizeBytes;
    compositionTicks[i] = sample.compositionTicks;
    keys[i] = sample.isKey ? 1 : 0;
  }
  return { trackId, startTicks, dataOffset, sizesBytes, durationsTicks, compositionTicks, keys };
}

function sum(values: Uint32Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}
