/**
 * Reads the sample tables of a progressive file (ISO/IEC 14496-12 §8.5 to §8.7): where each sample of a track lies, and
 * when it is decoded and shown. Counts are checked against the boxes that hold them before anything is allocated.
 */

import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc, fourCcText } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import { MAX_CLIP_SAMPLES, MAX_TRACK_SAMPLES, SampleColumns } from './sample-columns.ts';

const TRAK = fourCc('trak');
const TKHD = fourCc('tkhd');
const MDIA = fourCc('mdia');
const HDLR = fourCc('hdlr');
const MINF = fourCc('minf');
const STBL = fourCc('stbl');
const TABLES = new Set(['stsd', 'stts', 'ctts', 'stss', 'stsc', 'stsz', 'stz2', 'stco', 'co64'].map(fourCc));

const MAX_SAMPLE_ENTRIES = 64;
const MAX_TRACKS = 16;

/** One track, whether we carry it or not. */
export interface TrackTables {
  readonly trackId: number;
  /** `vide`, `soun`, or something else. */
  readonly handler: string;
  /** The four-character codes of its sample entries. */
  readonly codecs: readonly string[];
  /** Times as the tables say, without the edit list. Empty for a track whose samples are in fragments. */
  readonly samples: SampleColumns;
}

/** `content`: what follows the header of a `moov`, borrowed. Fails ISOBMFF_… */
export function readSampleTables(content: Uint8Array): TrackTables[] {
  const found: TrackTables[] = [];
  for (const box = new BoxCursor(content, 0, content.length); box.next(); ) {
    if (box.type !== TRAK) continue;
    if (found.length === MAX_TRACKS) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'trak' });
    const read = found.reduce((sum, { samples }) => sum + samples.count, 0);
    found.push(readTrack(box.children(), MAX_CLIP_SAMPLES - read));
  }
  return found;
}

function readTrack(box: BoxCursor, maxSamples: number): TrackTables {
  let trackId = 0;
  let handler = '';
  let tables: ReadonlyMap<number, BoxCursor> = new Map();
  while (box.next()) {
    if (box.type === TKHD) {
      const version = box.u8();
      box.skip(3 + (version === 1 ? 16 : 8));
      trackId = box.u32();
    } else if (box.type === MDIA) {
      for (const media = box.children(); media.next(); ) {
        if (media.type === HDLR) {
          media.skip(8);
          handler = fourCcText(media.u32());
        } else if (media.type === MINF) tables = findTables(media.children());
      }
    }
  }
  const stsd = table(tables, 'stsd');
  return {
    trackId,
    handler,
    codecs: stsd === null ? [] : readCodecs(stsd),
    samples: handler === 'vide' || handler === 'soun' ? readSamples(tables, maxSamples) : new SampleColumns(),
  };
}

/** By type: cursors of their own at the fields of each table. */
function findTables(box: BoxCursor): Map<number, BoxCursor> {
  const tables = new Map<number, BoxCursor>();
  while (box.next()) {
    if (box.type !== STBL) continue;
    for (const each = box.children(); each.next(); ) {
      if (!TABLES.has(each.type) || tables.has(each.type)) continue;
      const own = new BoxCursor(each.bytes, each.position, each.end);
      own.type = each.type;
      own.end = each.end;
      tables.set(each.type, own);
    }
  }
  return tables;
}

/** After its version and flags; null: there is none. */
function table(tables: ReadonlyMap<number, BoxCursor>, type: string): BoxCursor | null {
  const box = tables.get(fourCc(type)) ?? null;
  box?.skip(4);
  return box;
}

/** §8.5.2 */
function readCodecs(box: BoxCursor): string[] {
  const codecs: string[] = [];
  box.skip(4);
  for (const entry = box.children(); entry.next(); ) {
    if (codecs.length === MAX_SAMPLE_ENTRIES)
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'stsd' });
    codecs.push(fourCcText(entry.type));
  }
  return codecs;
}

function readSamples(tables: ReadonlyMap<number, BoxCursor>, maxSamples: number): SampleColumns {
  const samples = new SampleColumns();
  const sizes = readSizes(tables);
  if (sizes.length === 0) return samples;
  if (sizes.length > maxSamples) throw tooMany('stsz');
  const offsets = readOffsets(tables, sizes);
  const times = readTimes(tables, sizes.length);
  const shifts = readCompositionOffsets(tables, sizes.length);
  const keys = readSyncSamples(tables, sizes.length);
  for (let index = 0; index < sizes.length; index++) {
    const dtsTicks = times[index]!;
    const ptsTicks = dtsTicks + (shifts === null ? 0 : shifts[index]!);
    const isKey = keys === null || keys[index] === 1;
    samples.push(offsets[index]!, sizes[index]!, dtsTicks, times[index + 1]! - dtsTicks, ptsTicks, isKey);
  }
  return samples;
}

/** `stsz` and `stz2`, §8.7.3. */
function readSizes(tables: ReadonlyMap<number, BoxCursor>): Uint32Array {
  const compact = table(tables, 'stz2');
  if (compact !== null) return readCompactSizes(compact);
  const box = table(tables, 'stsz');
  if (box === null) return new Uint32Array(0);
  const uniformBytes = box.u32();
  const count = box.u32();
  if (count > MAX_TRACK_SAMPLES) throw tooMany('stsz');
  if (uniformBytes !== 0) return new Uint32Array(count).fill(uniformBytes);
  expectEntries(box, count, 4);
  const sizes = new Uint32Array(count);
  for (let index = 0; index < count; index++) sizes[index] = box.u32();
  return sizes;
}

function readCompactSizes(box: BoxCursor): Uint32Array {
  const fieldBits = box.u32() & 0xff;
  const count = box.u32();
  if (count > MAX_TRACK_SAMPLES) throw tooMany('stz2');
  if (fieldBits !== 4 && fieldBits !== 8 && fieldBits !== 16) throw invalid('stz2');
  expectEntries(box, Math.ceil((count * fieldBits) / 8), 1);
  const sizes = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    if (fieldBits === 16) sizes[index] = box.u16();
    else if (fieldBits === 8) sizes[index] = box.u8();
    else {
      const pair = box.u8();
      sizes[index] = pair >> 4;
      if (++index < count) sizes[index] = pair & 15;
    }
  }
  return sizes;
}

/** `stsc` and `stco` or `co64`, §8.7.4 and §8.7.5: samples lie one after the other in chunks. */
function readOffsets(tables: ReadonlyMap<number, BoxCursor>, sizes: Uint32Array): Float64Array {
  const chunkBox = table(tables, 'stco') ?? table(tables, 'co64');
  const runs = table(tables, 'stsc');
  if (chunkBox === null || runs === null) throw missing(chunkBox === null ? 'stco' : 'stsc');
  const isLong = chunkBox.type === fourCc('co64');
  const chunks = chunkBox.u32();
  expectEntries(chunkBox, chunks, isLong ? 8 : 4);
  const runCount = runs.u32();
  expectEntries(runs, runCount, 12);
  const offsets = new Float64Array(sizes.length);
  let sample = 0;
  let perChunk = 0;
  let runsLeft = runCount;
  let nextRunChunk = runsLeft > 0 ? runs.u32() : 0;
  for (let chunk = 1; chunk <= chunks; chunk++) {
    if (runsLeft > 0 && chunk === nextRunChunk) {
      perChunk = runs.u32();
      // Parameter sets that change within a file: not what `readMovie` describes.
      if (runs.u32() !== 1) throw invalid('stsc');
      runsLeft--;
      if (runsLeft > 0) {
        nextRunChunk = runs.u32();
        if (nextRunChunk <= chunk) throw invalid('stsc');
      }
    }
    let offset = isLong ? chunkBox.u64() : chunkBox.u32();
    for (let index = 0; index < perChunk && sample < sizes.length; index++) {
      offsets[sample] = offset;
      offset += sizes[sample]!;
      sample++;
    }
  }
  if (sample < sizes.length) throw invalid('stsc');
  return offsets;
}

/** `stts`, §8.6.1.2: the decoding time of each sample, and where the last one ends. */
function readTimes(tables: ReadonlyMap<number, BoxCursor>, count: number): Float64Array {
  const box = table(tables, 'stts');
  if (box === null) throw missing('stts');
  const runs = box.u32();
  expectEntries(box, runs, 8);
  const times = new Float64Array(count + 1);
  let sample = 0;
  let ticks = 0;
  for (let run = 0; run < runs && sample < count; run++) {
    const length = box.u32();
    const deltaTicks = box.u32();
    for (let index = 0; index < length && sample < count; index++) {
      times[sample++] = ticks;
      ticks += deltaTicks;
    }
  }
  if (sample < count) throw invalid('stts');
  times[count] = ticks;
  return times;
}

/** `ctts`, §8.6.1.3. Negative offsets belong to version 1, but muxers write them in version 0 too. null: none. */
function readCompositionOffsets(tables: ReadonlyMap<number, BoxCursor>, count: number): Int32Array | null {
  const box = table(tables, 'ctts');
  if (box === null) return null;
  const runs = box.u32();
  expectEntries(box, runs, 8);
  const shifts = new Int32Array(count);
  let sample = 0;
  for (let run = 0; run < runs && sample < count; run++) {
    const length = box.u32();
    const shiftTicks = box.i32();
    for (let index = 0; index < length && sample < count; index++) shifts[sample++] = shiftTicks;
  }
  if (sample < count) throw invalid('ctts');
  return shifts;
}

/** `stss`, §8.6.2. null: each sample can be decoded on its own. */
function readSyncSamples(tables: ReadonlyMap<number, BoxCursor>, count: number): Uint8Array | null {
  const box = table(tables, 'stss');
  if (box === null) return null;
  const entries = box.u32();
  expectEntries(box, entries, 4);
  const keys = new Uint8Array(count);
  for (let index = 0; index < entries; index++) {
    const number = box.u32();
    if (number === 0 || number > count) throw invalid('stss');
    keys[number - 1] = 1;
  }
  return keys;
}

function expectEntries(box: BoxCursor, count: number, entryBytes: number): void {
  if (count * entryBytes > box.left) {
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_TRUNCATED, { box: fourCcText(box.type) });
  }
}

function missing(box: string): GatewayError {
  return new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box });
}

function invalid(box: string): GatewayError {
  return new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box });
}

function tooMany(box: string): GatewayError {
  return new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box, samples: MAX_TRACK_SAMPLES });
}
