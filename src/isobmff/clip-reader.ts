/**
 * Reads a whole file by its boxes, progressive (samples in tables) or fragmented (samples in movie fragments): which
 * tracks it has, where their samples lie and when they are shown. ISO/IEC 14496-12. The file is untrusted: everything is
 * checked against its length, and memory is bounded by what the boxes really contain.
 */

import type { Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { fourCc, fourCcText } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import { MovieFragmentReader } from './movie-fragment-reader.ts';
import { type MovieTrack, readMovie } from './movie-reader.ts';
import { MAX_CLIP_SAMPLES, MAX_TRACK_SAMPLES, SampleColumns } from './sample-columns.ts';
import { readSampleTables, type TrackTables } from './sample-tables.ts';

/** A file at rest. */
export interface ByteSource {
  readonly byteLength: number;
  /** Exactly these bytes, borrowed until the next call; the range is within the file. */
  read(offset: number, length: number): Uint8Array;
}

export interface ClipTrack {
  readonly track: Track;
  readonly samples: SampleColumns;
}

/** A track of a kind that matters, in a codec that we do not carry. */
export interface ForeignTrack {
  readonly kind: 'video' | 'audio';
  /** The four-character code of its sample entry. */
  readonly codec: string;
  /** Samples in its tables; 0 if they are in fragments. */
  readonly samples: number;
}

export interface Clip {
  /** Those that we carry and that have samples. */
  readonly tracks: readonly ClipTrack[];
  readonly foreign: readonly ForeignTrack[];
  /** The file ends too early, or something else follows it. The tracks have what is whole. */
  readonly isCut: boolean;
}

/** Top-level boxes: two hours of one frame per fragment. */
export const MAX_TOP_BOXES = 2 * MAX_TRACK_SAMPLES;
const MAX_MOOV_BYTES = 64 * 1_048_576;
const MAX_MOOF_BYTES = 4 * 1_048_576;
const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;

const FTYP = fourCc('ftyp');
const STYP = fourCc('styp');
const MOOV = fourCc('moov');
const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');
/** The first boxes of files, including QuickTime files without `ftyp`. */
const FIRST_TYPES = new Set([
  FTYP,
  STYP,
  MOOV,
  MDAT,
  ...['free', 'skip', 'wide', 'pnot', 'uuid'].map(fourCc),
]);

export interface TopBox {
  readonly type: number;
  readonly offset: number;
  readonly contentOffset: number;
  readonly endOffset: number;
}

/** Whether the file begins like one that `readClip` reads; anything else is another format. */
export function looksLikeIsoMedia(source: ByteSource): boolean {
  if (source.byteLength < HEADER_BYTES) return false;
  const view = viewOf(source.read(0, HEADER_BYTES));
  return FIRST_TYPES.has(view.getUint32(4));
}

/** Fails ISOBMFF_…: ISOBMFF_BOX_INVALID if it may be a file that only this reader cannot read. */
export function readClip(source: ByteSource): Clip {
  const boxes = new BoxFinder(source);
  let movie: Movie | null = null;
  for (let box = boxes.next(); box !== null; box = boxes.next()) {
    if (box.type === MOOV) {
      if (movie !== null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'moov' });
      movie = new Movie(content(source, box, MAX_MOOV_BYTES));
      boxes.mayBeCut = true;
    } else if (box.type === MOOF) {
      if (movie === null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'moov' });
      movie.fragments.read(content(source, box, MAX_MOOF_BYTES), box.offset);
      // Samples without fields cost a file nothing, and those of other tracks are not kept.
      if (movie.fragments.samples > MAX_CLIP_SAMPLES) {
        throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { samples: MAX_CLIP_SAMPLES });
      }
    } else if (box.type === MDAT) boxes.media.push(box);
  }
  if (movie === null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'moov' });
  const { isCut } = boxes;
  if (isCut) for (const { samples } of movie.tracks) samples.cut(firstOutside(samples, boxes.media));
  const tracks = movie.tracks.filter(({ samples }) => samples.count > 0);
  expectApart(tracks, boxes.media);
  return { tracks, foreign: movie.foreign, isCut };
}

/** The top-level boxes of a file, in order. Each ends within the file. */
export class BoxFinder {
  /** Filled by the caller. */
  readonly media: TopBox[] = [];
  /**
   * Set by the caller when what is known makes a part of the file usable: then the last Media Data Box may be shorter than it says, and
   * what follows the boxes is left out.
   */
  mayBeCut = false;
  /** Something was left out, or is missing. */
  isCut = false;
  readonly #source: ByteSource;
  #offset = 0;
  #left = MAX_TOP_BOXES;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** null: the end. Fails ISOBMFF_BOX_SIZE, ISOBMFF_LIMIT. */
  next(): TopBox | null {
    const { byteLength } = this.#source;
    const offset = this.#offset;
    if (offset === byteLength) return null;
    if (--this.#left < 0) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { boxes: MAX_TOP_BOXES });
    if (byteLength - offset < HEADER_BYTES) return this.#cutAt({ offset });
    const head = viewOf(this.#source.read(offset, Math.min(LONG_HEADER_BYTES, byteLength - offset)));
    const type = head.getUint32(4);
    let sizeBytes = head.getUint32(0);
    let headerBytes = HEADER_BYTES;
    if (sizeBytes === 1) {
      headerBytes = LONG_HEADER_BYTES;
      sizeBytes = head.byteLength < LONG_HEADER_BYTES ? 0 : Number(head.getBigUint64(8));
    } else if (sizeBytes === 0) sizeBytes = byteLength - offset;
    if (sizeBytes < headerBytes || sizeBytes > byteLength - offset) {
      const isMedia = type === MDAT && sizeBytes >= headerBytes;
      if (!isMedia || !this.mayBeCut) return this.#cutAt({ box: fourCcText(type), offset });
      this.isCut = true;
      sizeBytes = byteLength - offset;
    }
    this.#offset = offset + sizeBytes;
    return { type, offset, contentOffset: offset + headerBytes, endOffset: this.#offset };
  }

  #cutAt(where: { readonly box?: string; readonly offset: number }): null {
    if (!this.mayBeCut) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_SIZE, where);
    this.isCut = true;
    this.#offset = this.#source.byteLength;
    return null;
  }
}

/** A movie box, and the samples of its fragments. */
class Movie {
  readonly tracks: readonly ClipTrack[];
  readonly foreign: readonly ForeignTrack[];
  readonly fragments: MovieFragmentReader;

  constructor(moov: Uint8Array) {
    const known = readMovie(moov);
    const tables = readSampleTables(moov);
    this.tracks = known.map((each) => ({ track: each.track, samples: samplesOf(each, tables) }));
    this.foreign = tables.flatMap(({ trackId, handler, codecs, samples: { count } }) => {
      const isKnown = known.some((each) => each.trackId === trackId);
      if (isKnown || (handler !== 'vide' && handler !== 'soun')) return [];
      const kind = handler === 'vide' ? 'video' : 'audio';
      return [{ kind, codec: codecs[0] ?? 'none', samples: count }];
    });
    const { tracks } = this;
    const sink = {
      onFragmentSample: (...[trackIndex, ...sample]: [number, ...Parameters<SampleColumns['push']>]) =>
        tracks[trackIndex]!.samples.push(...sample),
    };
    this.fragments = new MovieFragmentReader(known, sink, MAX_TRACK_SAMPLES);
  }
}

/** Those in the tables, with the edit list applied. */
function samplesOf({ trackId, shiftTicks }: MovieTrack, tables: readonly TrackTables[]): SampleColumns {
  const samples = tables.find((each) => each.trackId === trackId)?.samples ?? new SampleColumns();
  if (shiftTicks === 0) return samples;
  for (let index = 0; index < samples.count; index++) {
    samples.dtsTicks[index]! += shiftTicks;
    samples.ptsTicks[index]! += shiftTicks;
  }
  samples.endTicks += shiftTicks;
  return samples;
}

/** A copy: the result outlives the next read. */
function content(
  source: ByteSource,
  { type, contentOffset, endOffset }: TopBox,
  maxBytes: number,
): Uint8Array {
  const length = endOffset - contentOffset;
  if (length > maxBytes)
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: fourCcText(type), length });
  return Uint8Array.from(source.read(contentOffset, length));
}

/** Tables can name the same bytes any number of times, but all samples together must not be larger than the media. */
function expectApart(tracks: readonly ClipTrack[], media: readonly TopBox[]): void {
  const mediaBytes = media.reduce((sum, { contentOffset, endOffset }) => sum + endOffset - contentOffset, 0);
  const sampleBytes = tracks.reduce((sum, { samples }) => sum + expectInside(samples, media), 0);
  if (sampleBytes > mediaBytes) {
    throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { mediaBytes, sampleBytes });
  }
}

/** The first sample that is not whole in one of the boxes; as many as there are if all are. */
function firstOutside(samples: SampleColumns, media: readonly TopBox[]): number {
  for (let index = 0; index < samples.count; index++) {
    const offset = samples.offsets[index]!;
    const box = boxAt(media, offset);
    if (box === undefined || offset + samples.sizesBytes[index]! > box.endOffset) return index;
  }
  return samples.count;
}

/** Each sample lies in one of the Media Data Boxes, which are in the order of the file. Returns the sum of their sizes. */
function expectInside(samples: SampleColumns, media: readonly TopBox[]): number {
  let last: TopBox | undefined;
  let sampleBytes = 0;
  for (let index = 0; index < samples.count; index++) {
    const offset = samples.offsets[index]!;
    const end = offset + samples.sizesBytes[index]!;
    sampleBytes += samples.sizesBytes[index]!;
    if (last === undefined || offset < last.contentOffset || end > last.endOffset)
      last = boxAt(media, offset);
    if (last === undefined || offset < last.contentOffset || end > last.endOffset) {
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_SAMPLE_OUTSIDE, { sample: index, offset });
    }
  }
  return sampleBytes;
}

/** The last one that begins at or before the offset. */
function boxAt(media: readonly TopBox[], offset: number): TopBox | undefined {
  let from = 0;
  let to = media.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (media[middle]!.contentOffset <= offset) from = middle + 1;
    else to = middle;
  }
  return media[from - 1];
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
