/**
 * Parameter sets of devices that send no sequence header, although Adobe's specification of FLV (§E.4.3.1) makes it the
 * first message: they have the sets in band alone, before key frames. Some send the sets with start codes where the header
 * belongs.
 */

import { type AvcConfiguration, h264TrackOf } from '../../codec/h264/avc-configuration.ts';
import * as h264 from '../../codec/h264/nal-unit.ts';
import { H264SampleReader } from '../../codec/h264/sample-reader.ts';
import * as h265 from '../../codec/h265/nal-unit.ts';
import { H265SampleReader } from '../../codec/h265/sample-reader.ts';
import { LENGTH_BYTES, naluEnd } from '../../codec/kept-nalus.ts';
import { isSameBytes } from '../../codec/same-bytes.ts';
import type { SampleReader } from '../../codec/sample-reader.ts';
import { GatewayError } from '../../core/errors.ts';
import { RTMP_ERRORS } from './errors.ts';

/** After a key frame came without sets, so long for a message that has them. */
export const SETS_WAIT_MS = 3_000;
/** The same without a key frame: long groups of pictures that were joined in the middle, or nothing that can be read. */
export const KEY_WAIT_MS = 20_000;
const MAX_PPS = 32;
const MAX_SET_BYTES = 8 * 1_024;

export class InBandSets {
  readonly #codec: 'h264' | 'h265';
  readonly #timescaleHz: number;
  #sps: Uint8Array | null = null;
  #pps: Uint8Array[] = [];
  #firstMonoMs: number | null = null;
  #keyMonoMs: number | null = null;

  constructor(codec: 'h264' | 'h265', timescaleHz: number) {
    this.#codec = codec;
    this.#timescaleHz = timescaleHz;
  }

  /**
   * A reader for this sample and those that follow; null: the sets are not complete. `sample`: NAL units after lengths of four
   * bytes, borrowed; null: it was something else. Fails RTMP_NO_PARAMETER_SETS when they do not come.
   */
  read(sample: Uint8Array | null, arrivalMonoMs: number): SampleReader | null {
    this.#firstMonoMs ??= arrivalMonoMs;
    let hasSets = false;
    for (let at = 0; sample !== null && at < sample.length; ) {
      const end = naluEnd(sample, at);
      if (end < 0) break;
      if (this.#take(sample.subarray(at + LENGTH_BYTES, end), arrivalMonoMs)) hasSets = true;
      at = end;
    }
    const reader = hasSets ? this.#reader() : null;
    if (reader === null) this.#expectSets(arrivalMonoMs);
    return reader;
  }

  /** Whether it is a parameter set. */
  #take(nalu: Uint8Array, arrivalMonoMs: number): boolean {
    if (this.#codec === 'h265') {
      const type = h265.nalType(h265.nalHeader(nalu, 0));
      if (h265.isIrap(type)) this.#keyMonoMs ??= arrivalMonoMs;
      // Its reader collects the others, too.
      return type === h265.NAL_SPS;
    }
    const type = h264.nalType(nalu[0]!);
    if (type === h264.NAL_IDR_SLICE) this.#keyMonoMs ??= arrivalMonoMs;
    if ((type !== h264.NAL_SPS && type !== h264.NAL_PPS) || nalu.length > MAX_SET_BYTES) return false;
    if (type === h264.NAL_SPS) this.#sps = new Uint8Array(nalu);
    else if (this.#pps.length < MAX_PPS && !this.#pps.some((known) => isSameBytes(known, nalu))) {
      this.#pps.push(new Uint8Array(nalu));
    }
    return true;
  }

  #reader(): SampleReader | null {
    if (this.#codec === 'h265') {
      return new H265SampleReader({ vps: [], sps: [], pps: [] }, this.#timescaleHz);
    }
    if (this.#sps === null || this.#pps.length === 0) return null;
    const configuration: AvcConfiguration = { sps: [this.#sps], pps: this.#pps, lengthBytes: LENGTH_BYTES };
    const track = h264TrackOf(configuration, this.#timescaleHz);
    return track === null ? null : new H264SampleReader(track);
  }

  #expectSets(monoMs: number): void {
    const sinceKeyMs = monoMs - (this.#keyMonoMs ?? monoMs);
    const sinceFirstMs = monoMs - (this.#firstMonoMs ?? monoMs);
    if (sinceKeyMs < SETS_WAIT_MS && sinceFirstMs < KEY_WAIT_MS) return;
    throw new GatewayError(RTMP_ERRORS.RTMP_NO_PARAMETER_SETS, {
      encoding: this.#codec,
      waitedMs: Math.round(sinceFirstMs),
      hasKeyFrame: this.#keyMonoMs !== null,
    });
  }
}
