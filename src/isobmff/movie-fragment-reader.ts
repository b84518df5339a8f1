/**
 * Reads Movie Fragment Boxes (ISO/IEC 14496-12 §8.8.4): where the samples of each track lie, and when they are shown.
 */

import { BoxCursor, fourCc } from './box-reader.ts';
import type { MovieTrack } from './movie-reader.ts';
import {
  emptyRunSample,
  readDecodeTime,
  readRunHeader,
  readRunSample,
  readTrackFragmentHeader,
} from './track-fragment.ts';

const TRAF = fourCc('traf');
const TFHD = fourCc('tfhd');
const TFDT = fourCc('tfdt');
const TRUN = fourCc('trun');

/** Receives the samples of a fragment in the order of its boxes. `offset` counts from the start of the file. */
export interface FragmentSampleSink {
  onFragmentSample(
    trackIndex: number,
    offset: number,
    sizeBytes: number,
    dtsTicks: number,
    durationTicks: number,
    ptsTicks: number,
    isKey: boolean,
  ): void;
}

/** State that applies to the runs of the Track Fragment Box being read. */
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

export class MovieFragmentReader {
  readonly #tracks: readonly MovieTrack[];
  readonly #sink: FragmentSampleSink;
  readonly #maxSamples: number;
  /** Decoding time after the last sample of each track, for fragments without tfdt. */
  readonly #nextDtsTicks: number[];
  /** The one being read, reused. */
  readonly #sample = emptyRunSample();
  /** Samples of the last fragment, including those of tracks that we do not carry. */
  #countedSamples = 0;
  #samples = 0;

  /** `maxSamples`: in one fragment. */
  constructor(tracks: readonly MovieTrack[], sink: FragmentSampleSink, maxSamples: number) {
    this.#tracks = tracks;
    this.#sink = sink;
    this.#maxSamples = maxSamples;
    this.#nextDtsTicks = tracks.map(() => 0);
  }

  /** Number of samples in all fragments so far, including those of tracks that we do not carry. */
  get samples(): number {
    return this.#samples;
  }

  /** `content` follows the header of the box, which begins at `moofOffset`; borrowed. Fails ISOBMFF_… */
  read(content: Uint8Array, moofOffset: number): void {
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
      else if (box.type === TFDT) state.dtsTicks = readDecodeTime(box);
      else if (box.type === TRUN) this.#readRun(box, state);
    }
    if (state.track !== null) this.#nextDtsTicks[state.trackIndex] = state.dtsTicks;
    return state.nextOffset;
  }

  #readFragmentHeader(box: BoxCursor, state: FragmentState, moofOffset: number): void {
    const { trackId, baseDataOffset, isBaseMoof, ...said } = readTrackFragmentHeader(box);
    const tracks = this.#tracks;
    for (let index = 0; index < tracks.length; index++) {
      if (tracks[index]!.trackId === trackId) state.trackIndex = index;
    }
    const track = tracks[state.trackIndex] ?? null;
    state.track = track;
    if (isBaseMoof) state.baseOffset = moofOffset;
    if (baseDataOffset !== null) state.baseOffset = baseDataOffset;
    state.durationTicks = said.durationTicks ?? track?.defaultDurationTicks ?? 0;
    state.sizeBytes = said.sizeBytes ?? track?.defaultSizeBytes ?? 0;
    state.flags = said.flags ?? track?.defaultFlags ?? 0;
    state.nextOffset = state.baseOffset;
    state.dtsTicks = this.#nextDtsTicks[state.trackIndex] ?? 0;
  }

  #readRun(box: BoxCursor, state: FragmentState): void {
    const run = readRunHeader(box, this.#maxSamples - this.#countedSamples);
    this.#countedSamples += run.sampleCount;
    this.#samples += run.sampleCount;
    if (run.dataOffset !== null) state.nextOffset = state.baseOffset + run.dataOffset;
    const sample = this.#sample;
    for (let index = 0; index < run.sampleCount; index++) {
      readRunSample(box, run, index, state, sample);
      if (state.track !== null) this.#addSample(state, state.track.shiftTicks);
      state.nextOffset += sample.sizeBytes;
      state.dtsTicks += sample.durationTicks;
    }
  }

  #addSample(state: FragmentState, shiftTicks: number): void {
    const { sizeBytes, durationTicks, compositionTicks, isKey } = this.#sample;
    const dtsTicks = state.dtsTicks + shiftTicks;
    this.#sink.onFragmentSample(
      state.trackIndex,
      state.nextOffset,
      sizeBytes,
      dtsTicks,
      durationTicks,
      dtsTicks + compositionTicks,
      isKey,
    );
  }
}
