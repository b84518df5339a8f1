/**
 * Reads a fragmented file (ftyp moov (moof mdat)*) as it comes through a pipe, and hands out its samples: the output of
 * an ffmpeg worker. ISO/IEC 14496-12 §8.8. A violation ends the reader; it never resynchronizes.
 */

import type { Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { BoxCursor, type BoxSink, BoxStream, fourCc } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import { type MovieTrack, readMovie } from './movie-reader.ts';

/** Samples in one fragment; we ask ffmpeg for one. */
export const MAX_FRAGMENT_SAMPLES = 10_000;

const MOOV = fourCc('moov');
const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');
const TRAF = fourCc('traf');
const TFHD = fourCc('tfhd');
const TFDT = fourCc('tfdt');
const TRUN = fourCc('trun');

const SAMPLE_IS_NON_SYNC = 0x10000;

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

/** Receives what a FragmentReader finds, in the order of the file. */
export interface FragmentSink {
  /** Called once, before the first sample. May be empty: a file with only codecs that we do not carry. */
  onTracks(tracks: readonly Track[]): void;
  /** `trackIndex` counts as in `onTracks`; `data` is borrowed until the call returns. */
  onSample(trackIndex: number, dtsTicks: number, ptsTicks: number, isKey: boolean, data: Uint8Array): void;
}

interface Sample {
  trackIndex: number;
  /** Position in the file. */
  offset: number;
  sizeBytes: number;
  dtsTicks: number;
  ptsTicks: number;
  isKey: boolean;
}

/** What applies to the runs of the Track Fragment Box being read. */
interface FragmentState {
  trackIndex: number;
  track: MovieTrack | null;
  baseOffset: number;
  /** Where a run without its own offset begins. */
  nextOffset: number;
  durationTicks: number;
  sizeBytes: number;
  flags: number;
  dtsTicks: number;
}

export class FragmentReader implements BoxSink {
  readonly #sink: FragmentSink;
  readonly #boxes: BoxStream;
  #tracks: readonly MovieTrack[] | null = null;
  /** Decoding time after the last sample of each track, for fragments without tfdt. */
  #nextDtsTicks: number[] = [];
  /** Samples of the last moof, reused: the first `#sampleCount` are waiting for their mdat. */
  readonly #samples: Sample[] = [];
  #sampleCount = 0;
  /** Samples of the last moof, including those of tracks that we do not carry. */
  #countedSamples = 0;
  #received = 0;

  constructor(sink: FragmentSink) {
    this.#sink = sink;
    this.#boxes = new BoxStream(this);
  }

  /** Boxes and samples so far, whatever happened to them. */
  get received(): number {
    return this.#received;
  }

  /** `chunk` is borrowed. Fails ISOBMFF_…; what the sink throws passes through. */
  push(chunk: Uint8Array): void {
    this.#boxes.push(chunk);
  }

  /** @internal from BoxStream */
  wants(type: number): boolean {
    this.#received += 1;
    return type === MOOV || type === MOOF || type === MDAT;
  }

  /** @internal from BoxStream */
  onBox(type: number, content: Uint8Array, boxOffset: number, contentOffset: number): void {
    if (type === MOOV) this.#readMovie(content);
    else if (type === MOOF) this.#readMovieFragment(content, boxOffset);
    else this.#deliver(content, contentOffset);
  }

  #readMovie(content: Uint8Array): void {
    if (this.#tracks !== null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'moov' });
    this.#tracks = readMovie(content);
    this.#nextDtsTicks = this.#tracks.map(() => 0);
    this.#sink.onTracks(this.#tracks.map((movieTrack) => movieTrack.track));
  }

  #readMovieFragment(content: Uint8Array, moofOffset: number): void {
    if (this.#tracks === null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'moov' });
    this.#sampleCount = 0;
    this.#countedSamples = 0;
    let nextOffset = moofOffset;
    const box = new BoxCursor(content, 0, content.length);
    while (box.next()) {
      if (box.type === TRAF) nextOffset = this.#readTrackFragment(box.children(), moofOffset, nextOffset);
    }
  }

  /** Returns where the next track fragment's data begins if it does not say (§8.8.7.1). */
  #readTrackFragment(box: BoxCursor, moofOffset: number, defaultOffset: number): number {
    const state: FragmentState = {
      trackIndex: -1,
      track: null,
      baseOffset: defaultOffset,
      nextOffset: defaultOffset,
      durationTicks: 0,
      sizeBytes: 0,
      flags: 0,
      dtsTicks: 0,
    };
    while (box.next()) {
      if (box.type === TFHD) this.#readFragmentHeader(box, state, moofOffset);
      else if (box.type === TFDT) {
        const version = box.u8();
        box.skip(3);
        state.dtsTicks = version === 1 ? box.u64() : box.u32();
      } else if (box.type === TRUN) this.#readRun(box, state);
    }
    if (state.track !== null) this.#nextDtsTicks[state.trackIndex] = state.dtsTicks;
    return state.nextOffset;
  }

  #readFragmentHeader(box: BoxCursor, state: FragmentState, moofOffset: number): void {
    box.skip(1);
    const present = box.u24();
    const trackId = box.u32();
    const tracks = this.#tracks!;
    for (let index = 0; index < tracks.length; index++) {
      if (tracks[index]!.trackId === trackId) state.trackIndex = index;
    }
    const track = tracks[state.trackIndex] ?? null;
    state.track = track;
    if ((present & TFHD_DEFAULT_BASE_IS_MOOF) !== 0) state.baseOffset = moofOffset;
    if ((present & TFHD_BASE_DATA_OFFSET) !== 0) state.baseOffset = box.u64();
    if ((present & TFHD_DESCRIPTION_INDEX) !== 0) box.skip(4);
    state.durationTicks =
      (present & TFHD_DEFAULT_DURATION) !== 0 ? box.u32() : (track?.defaultDurationTicks ?? 0);
    state.sizeBytes = (present & TFHD_DEFAULT_SIZE) !== 0 ? box.u32() : (track?.defaultSizeBytes ?? 0);
    state.flags = (present & TFHD_DEFAULT_FLAGS) !== 0 ? box.u32() : (track?.defaultFlags ?? 0);
    state.nextOffset = state.baseOffset;
    state.dtsTicks = this.#nextDtsTicks[state.trackIndex] ?? 0;
  }

  #readRun(box: BoxCursor, state: FragmentState): void {
    const version = box.u8();
    const present = box.u24();
    const count = box.u32();
    this.#countedSamples += count;
    if (this.#countedSamples > MAX_FRAGMENT_SAMPLES) {
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { box: 'trun', samples: count });
    }
    if ((present & TRUN_DATA_OFFSET) !== 0) state.nextOffset = state.baseOffset + box.i32();
    const firstFlags = (present & TRUN_FIRST_SAMPLE_FLAGS) !== 0 ? box.u32() : null;
    for (let index = 0; index < count; index++) {
      const durationTicks = (present & TRUN_DURATION) !== 0 ? box.u32() : state.durationTicks;
      const sizeBytes = (present & TRUN_SIZE) !== 0 ? box.u32() : state.sizeBytes;
      let flags = (present & TRUN_FLAGS) !== 0 ? box.u32() : state.flags;
      if (index === 0 && firstFlags !== null) flags = firstFlags;
      let compositionTicks = 0;
      if ((present & TRUN_COMPOSITION_OFFSET) !== 0) compositionTicks = version === 0 ? box.u32() : box.i32();
      if (state.track !== null) this.#addSample(state, sizeBytes, compositionTicks, flags);
      state.nextOffset += sizeBytes;
      state.dtsTicks += durationTicks;
    }
  }

  #addSample(state: FragmentState, sizeBytes: number, compositionTicks: number, flags: number): void {
    const dtsTicks = state.dtsTicks + state.track!.shiftTicks;
    let sample = this.#samples[this.#sampleCount];
    if (sample === undefined) {
      sample = { trackIndex: 0, offset: 0, sizeBytes: 0, dtsTicks: 0, ptsTicks: 0, isKey: false };
      this.#samples.push(sample);
    }
    sample.trackIndex = state.trackIndex;
    sample.offset = state.nextOffset;
    sample.sizeBytes = sizeBytes;
    sample.dtsTicks = dtsTicks;
    sample.ptsTicks = dtsTicks + compositionTicks;
    sample.isKey = (flags & SAMPLE_IS_NON_SYNC) === 0;
    this.#sampleCount++;
  }

  /** The data of a fragment is in the Media Data Box that follows it. */
  #deliver(content: Uint8Array, contentOffset: number): void {
    const count = this.#sampleCount;
    this.#sampleCount = 0;
    this.#received += count;
    for (let index = 0; index < count; index++) {
      const { trackIndex, offset, sizeBytes, dtsTicks, ptsTicks, isKey } = this.#samples[index]!;
      const start = offset - contentOffset;
      if (start < 0 || start + sizeBytes > content.length) {
        throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_SAMPLE_OUTSIDE, { offset, sizeBytes });
      }
      this.#sink.onSample(trackIndex, dtsTicks, ptsTicks, isKey, content.subarray(start, start + sizeBytes));
    }
  }
}
