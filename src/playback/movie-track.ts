/**
 * The sample tables of one track of a progressive MP4 while it is put together, in the compact form in which they are
 * written: runs of equal durations and offsets, sizes, sync samples, chunks. ISO/IEC 14496-12 §8.6, §8.7.
 */

import { GatewayError } from '../core/errors.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type { RecordedTrack } from './recorded-tracks.ts';

/** 6 hours of 120 video frames per second, or of AAC at 96 kHz, and some. */
const MAX_SAMPLES = 3_000_000;
const FIRST_CAPACITY = 1_024;

/** A list of unsigned 32-bit numbers that grows. */
export class U32List {
  #values = new Uint32Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Uint32Array(this.#length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }
}

/** (count, value) pairs: what `stts` and `ctts` have. Values are signed. */
export class RunLengths {
  readonly counts: number[] = [];
  readonly values: number[] = [];

  push(value: number): void {
    const last = this.values.length - 1;
    if (last >= 0 && this.values[last] === value) this.counts[last]! += 1;
    else {
      this.counts.push(1);
      this.values.push(value);
    }
  }
}

/** A stretch of samples whose data is contiguous. */
export interface Chunk {
  /** In the data of the movie, from its first byte. */
  readonly dataOffset: number;
  readonly samples: number;
  /** Counts from 1. */
  readonly descriptionIndex: number;
}

export class MovieTrack {
  readonly kind: RecordedTrack['kind'];
  /** Timescale of the first recording that it shows; those of others are converted. */
  readonly timescaleHz: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly turns: RecordedTrack['turns'];
  readonly sampleEntries: Buffer[] = [];
  readonly durations = new RunLengths();
  readonly compositionOffsets = new RunLengths();
  readonly sizesBytes = new U32List();
  /** Sample numbers, from 1. */
  readonly syncSamples = new U32List();
  readonly chunks: Chunk[] = [];
  /** Decoding times, in ticks of the media. */
  firstTicks = 0;
  endTicks = 0;
  #lastTicks = 0;
  #lastDurationTicks = 0;

  constructor(of: RecordedTrack) {
    this.kind = of.kind;
    this.timescaleHz = of.timescaleHz;
    this.widthPx = of.widthPx;
    this.heightPx = of.heightPx;
    this.turns = of.turns;
  }

  get samples(): number {
    return this.sizesBytes.length;
  }

  /** The index of the entry among those of the track, from 1. */
  describe(sampleEntry: Buffer): number {
    const known = this.sampleEntries.findIndex((entry) => entry.equals(sampleEntry));
    if (known >= 0) return known + 1;
    return this.sampleEntries.push(sampleEntry);
  }

  /**
   * `startTicks`: decoding time. If it is later than the end of the sample before, that one lasts longer; it cannot be
   * earlier than the start of that one. Fails RANGE_TOO_LARGE.
   */
  addSample(
    startTicks: number,
    durationTicks: number,
    sizeBytes: number,
    compositionTicks: number,
    isKey: boolean,
  ): void {
    if (this.samples >= MAX_SAMPLES) throw new GatewayError(PLAYBACK_ERRORS.RANGE_TOO_LARGE);
    if (this.samples === 0) this.firstTicks = startTicks;
    else this.durations.push(startTicks - this.#lastTicks);
    this.sizesBytes.push(sizeBytes);
    this.compositionOffsets.push(compositionTicks);
    if (isKey) this.syncSamples.push(this.samples);
    this.#lastTicks = startTicks;
    this.#lastDurationTicks = durationTicks;
    this.endTicks = startTicks + durationTicks;
  }

  /** After the last sample. */
  finish(): void {
    if (this.samples > 0) this.durations.push(this.#lastDurationTicks);
  }
}
