/**
 * Reads a fragmented file (ftyp moov (moof mdat)*) as it comes through a pipe, and hands out its samples: the output of
 * an ffmpeg worker. ISO/IEC 14496-12 §8.8. A violation ends the reader; it never resynchronizes.
 */

import type { Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { type BoxSink, BoxStream, fourCc } from './box-reader.ts';
import { ISOBMFF_ERRORS } from './errors.ts';
import { type FragmentSampleSink, MovieFragmentReader } from './movie-fragment-reader.ts';
import { readMovie } from './movie-reader.ts';

/** Samples in one fragment; we ask ffmpeg for one. */
export const MAX_FRAGMENT_SAMPLES = 10_000;

const MOOV = fourCc('moov');
const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');
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

export class FragmentReader implements BoxSink, FragmentSampleSink {
  readonly #sink: FragmentSink;
  readonly #boxes: BoxStream;
  /** null: no moov yet. */
  #fragments: MovieFragmentReader | null = null;
  /** Samples of the last moof, reused: the first `#sampleCount` are waiting for their mdat. */
  readonly #samples: Sample[] = [];
  #sampleCount = 0;
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
    if (this.#fragments !== null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { box: 'moov' });
    const tracks = readMovie(content);
    this.#fragments = new MovieFragmentReader(tracks, this, MAX_FRAGMENT_SAMPLES);
    this.#sink.onTracks(tracks.map((movieTrack) => movieTrack.track));
  }

  #readMovieFragment(content: Uint8Array, moofOffset: number): void {
    if (this.#fragments === null) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'moov' });
    this.#sampleCount = 0;
    this.#fragments.read(content, moofOffset);
  }

  /** @internal from MovieFragmentReader */
  onFragmentSample(
    trackIndex: number,
    offset: number,
    sizeBytes: number,
    dtsTicks: number,
    _durationTicks: number,
    ptsTicks: number,
    isKey: boolean,
  ): void {
    let sample = this.#samples[this.#sampleCount];
    if (sample === undefined) {
      sample = { trackIndex: 0, offset: 0, sizeBytes: 0, dtsTicks: 0, ptsTicks: 0, isKey: false };
      this.#samples.push(sample);
    }
    sample.trackIndex = trackIndex;
    sample.offset = offset;
    sample.sizeBytes = sizeBytes;
    sample.dtsTicks = dtsTicks;
    sample.ptsTicks = ptsTicks;
    sample.isKey = isKey;
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
