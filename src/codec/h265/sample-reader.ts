/**
 * Converts H.265 samples of FLV or MP4 (ISO/IEC 14496-15 §8.3) to access units: removes parameter sets, delimiters, filler
 * and other layers than the base layer, and keeps the content of the parameter sets. Encoders repeat them in band before
 * every key frame, or in a sample of their own.
 */

import { KeptNalus, LENGTH_BYTES, naluEnd } from '../kept-nalus.ts';
import type { SampleOutcome, SampleReader } from '../sample-reader.ts';
import type { H265Track } from '../track.ts';
import type { HevcConfiguration } from './hevc-configuration.ts';
import {
  isIrap,
  isRasl,
  isVcl,
  NAL_CRA,
  NAL_END_OF_SEQUENCE,
  NAL_PPS,
  NAL_PREFIX_SEI,
  NAL_SPS,
  NAL_SUFFIX_SEI,
  NAL_VPS,
  nalHeader,
  nalLayer,
  nalType,
  temporalId,
} from './nal-unit.ts';
import { type ParameterSetChange, ParameterSets } from './parameter-sets.ts';
import { readSliceSegmentHead } from './slice-segment-header.ts';

/** As many as there are ids: 16, 16 and 64. Each costs much more than a byte of a picture. */
const MAX_SETS_PER_SAMPLE = 96;

export class H265SampleReader implements SampleReader {
  track: H265Track | null = null;
  data: Uint8Array = new Uint8Array(0);
  isKey = false;
  isContinuing = false;
  isRasl = false;
  readonly #kept = new KeptNalus();
  readonly #parameterSets: ParameterSets;
  /** Where the first slice of the sample begins and ends; it begins at -1 if there is none. */
  #sliceAt = -1;
  #sliceEnd = -1;
  /** The next key frame begins a new sequence (§7.4.2.4.4). */
  #isSequenceOver = false;
  /** Pictures up to the next key frame need parameter sets that `track` does not have. */
  #isStale = false;

  /** `configuration` may lack parameter sets that come in band. */
  constructor({ vps, sps, pps }: Pick<HevcConfiguration, 'vps' | 'sps' | 'pps'>, timescaleHz: number) {
    this.#parameterSets = new ParameterSets(timescaleHz);
    for (const nalu of vps) this.#learn(NAL_VPS, nalu);
    for (const nalu of sps) this.#learn(NAL_SPS, nalu);
    for (const nalu of pps) this.#learn(NAL_PPS, nalu);
  }

  /** Hot. A sample without a picture is `empty`; a key frame without its parameter sets is `damaged`. */
  read(sample: Uint8Array): SampleOutcome {
    this.isKey = false;
    this.isContinuing = false;
    this.isRasl = false;
    this.#sliceAt = -1;
    this.#kept.begin(sample);
    if (sample.length === 0 || !this.#split(sample)) return 'damaged';
    this.data = this.#kept.data;
    if (this.#sliceAt < 0) return 'empty';
    if (this.isKey) return this.#useTrack(sample);
    return this.#isStale ? 'damaged' : 'same';
  }

  /** Returns false at something that is not a NAL unit. */
  #split(sample: Uint8Array): boolean {
    let sets = 0;
    for (let at = 0; at < sample.length; ) {
      const end = naluEnd(sample, at);
      if (end < 0) return false;
      const start = at + LENGTH_BYTES;
      const header = nalHeader(sample, start);
      if (end - start < 2 || temporalId(header) < 0) return false;
      const type = nalType(header);
      if (nalLayer(header) === 0 && isKept(type)) {
        this.#kept.keep(at, end);
        if (type === NAL_END_OF_SEQUENCE) this.#isSequenceOver = true;
        else if (this.#sliceAt < 0 && isVcl(type)) this.#firstSlice(type, start, end);
      } else {
        this.#kept.leaveOut(at);
        if (type >= NAL_VPS && type <= NAL_PPS) {
          sets += 1;
          if (sets > MAX_SETS_PER_SAMPLE) return false;
          this.#learn(type, sample.subarray(start, end));
        }
      }
      at = end;
    }
    return true;
  }

  #firstSlice(type: number, start: number, end: number): void {
    this.#sliceAt = start;
    this.#sliceEnd = end;
    this.isRasl = isRasl(type);
    this.isKey = isIrap(type);
    if (!this.isKey) return;
    this.isContinuing = type === NAL_CRA && !this.#isSequenceOver;
    this.#isSequenceOver = false;
  }

  /** Sets that cannot be read are left out: a key frame that needs them is damaged. */
  #learn(type: number, nalu: Uint8Array): void {
    const sets = this.#parameterSets;
    let change: ParameterSetChange = 'same';
    if (type === NAL_VPS) sets.putVps(nalu);
    else change = type === NAL_SPS ? sets.putSps(nalu) : sets.putPps(nalu);
    // Tracks change at key frames. A change between two key frames waits for the next one.
    if (change === 'replaced') this.#isStale = true;
  }

  #useTrack(sample: Uint8Array): 'same' | 'changed' | 'damaged' {
    const head = readSliceSegmentHead(sample.subarray(this.#sliceAt, this.#sliceEnd));
    const track = head === null ? null : this.#parameterSets.trackFor(head.ppsId);
    if (track === null) return 'damaged';
    this.#isStale = false;
    if (track === this.track) return 'same';
    this.track = track;
    return 'changed';
  }
}

function isKept(type: number): boolean {
  const isSei = type === NAL_PREFIX_SEI || type === NAL_SUFFIX_SEI;
  return isVcl(type) || isSei || type === NAL_END_OF_SEQUENCE;
}
