/** The parameter sets of one H.264 stream, from its SDP and in band, and the track that they describe. */

import { withoutTrailingZeros } from '../byte-stream.ts';
import { isSameBytes } from '../same-bytes.ts';
import type { H264Track } from '../track.ts';
import { rbspOf } from './nal-unit.ts';
import { type PictureCoding, pictureCodingOf } from './picture-coding.ts';
import { type PictureParameterSet, parsePictureParameterSet } from './picture-parameter-set.ts';
import {
  h264CodecString,
  MAX_SPS_BYTES,
  parseSequenceParameterSet,
  type SequenceParameterSet,
} from './sequence-parameter-set.ts';

/** Encoders have one or two; the standard allows 256. One beyond this limit takes the place of the oldest. */
const MAX_HELD_PPS = 32;
const BITS_PER_BYTE = 8;

/**
 * `same`: pictures decode as before. An SPS whose VUI alone differs is the same: encoders change its timing with the
 * frame rate, and hardly any decoder reads it. So is one with another nal_ref_idc or trailing zeros. `added`: no picture
 * so far can have used it. `replaced`: pictures may have used its predecessor.
 */
export type ParameterSetChange = 'invalid' | 'same' | 'added' | 'replaced';

interface HeldSps {
  readonly nalu: Uint8Array;
  readonly sps: SequenceParameterSet;
}

interface HeldPps {
  readonly nalu: Uint8Array;
  readonly spsId: number;
  readonly pps: PictureParameterSet;
}

export class ParameterSets {
  readonly #timescaleHz: number;
  readonly #spsById = new Map<number, HeldSps>();
  readonly #ppsById = new Map<number, HeldPps>();
  /** Tracks made since the last change, by SPS id: the same object as long as nothing changes. */
  readonly #tracksBySpsId = new Map<number, H264Track>();
  /** Read from the stored sets on demand: the same object as long as nothing changes. */
  readonly #codingsByPpsId = new Map<number, PictureCoding | null>();
  #mayHaveFields = false;

  constructor(timescaleHz: number) {
    this.#timescaleHz = timescaleHz;
  }

  /** At least one SPS allows field pictures: one frame is then two pictures. */
  get mayHaveFields(): boolean {
    return this.#mayHaveFields;
  }

  /** Borrows `nalu`; keeps a copy if it is new. */
  putSps(nalu: Uint8Array): ParameterSetChange {
    const sps = parseSequenceParameterSet(nalu);
    if (sps === null) return 'invalid';
    const held = this.#spsById.get(sps.id);
    if (held !== undefined && (isSameBytes(held.nalu, nalu) || decodesAlike(held, nalu, sps))) return 'same';
    this.#spsById.set(sps.id, { nalu: new Uint8Array(nalu), sps });
    this.#tracksBySpsId.clear();
    this.#codingsByPpsId.clear();
    this.#mayHaveFields = [...this.#spsById.values()].some((entry) => !entry.sps.isFramesOnly);
    return held === undefined ? 'added' : 'replaced';
  }

  /** Borrows `nalu`; keeps a copy if it is new. */
  putPps(nalu: Uint8Array): ParameterSetChange {
    const pps = parsePictureParameterSet(nalu);
    if (pps === null) return 'invalid';
    const held = this.#ppsById.get(pps.id);
    if (held !== undefined && isSamePayload(held.nalu, nalu)) return 'same';
    // Again at the end of the map: the oldest is the first.
    this.#ppsById.delete(pps.id);
    if (this.#ppsById.size >= MAX_HELD_PPS) this.#ppsById.delete(this.#ppsById.keys().next().value!);
    this.#ppsById.set(pps.id, { nalu: new Uint8Array(nalu), spsId: pps.spsId, pps });
    this.#tracksBySpsId.clear();
    this.#codingsByPpsId.clear();
    return held === undefined ? 'added' : 'replaced';
  }

  /** The decoder configuration of a picture that uses `ppsId`; null while one of the sets is missing. */
  trackFor(ppsId: number): H264Track | null {
    const spsId = this.#ppsById.get(ppsId)?.spsId;
    const held = spsId === undefined ? undefined : this.#spsById.get(spsId);
    if (spsId === undefined || held === undefined) return null;
    const known = this.#tracksBySpsId.get(spsId);
    if (known !== undefined) return known;
    const track: H264Track = {
      kind: 'video',
      codec: 'h264',
      timescaleHz: this.#timescaleHz,
      sps: [held.nalu],
      pps: [...this.#ppsById.values()].filter((pps) => pps.spsId === spsId).map((pps) => pps.nalu),
      widthPx: held.sps.widthPx,
      heightPx: held.sps.heightPx,
      nominalFrameRateHz: held.sps.nominalFrameRateHz,
      codecString: h264CodecString(held.sps),
    };
    this.#tracksBySpsId.set(spsId, track);
    return track;
  }

  /** The coding of pictures that use `ppsId`; null while a set is missing, and as pictureCodingOf says. */
  codingFor(ppsId: number): PictureCoding | null {
    const known = this.#codingsByPpsId.get(ppsId);
    if (known !== undefined) return known;
    const pps = this.#ppsById.get(ppsId);
    const sps = pps === undefined ? undefined : this.#spsById.get(pps.spsId);
    const coding = pps === undefined || sps === undefined ? null : pictureCodingOf(sps.sps, pps.pps);
    if (pps !== undefined) this.#codingsByPpsId.set(ppsId, coding);
    return coding;
  }

  /** Pictures that a decoder may hold back for a B-frame, if the SPS of `ppsId` says so; otherwise 0. */
  maxReorderFrames(ppsId: number): number {
    const spsId = this.#ppsById.get(ppsId)?.spsId ?? -1;
    return this.#spsById.get(spsId)?.sps.maxReorderFrames ?? 0;
  }
}

function decodesAlike(held: HeldSps, nalu: Uint8Array, sps: SequenceParameterSet): boolean {
  const { decodingBits, maxReorderFrames } = sps;
  if (held.sps.decodingBits !== decodingBits || held.sps.maxReorderFrames !== maxReorderFrames) return false;
  const [before, after] = [rbspOf(held.nalu, MAX_SPS_BYTES), rbspOf(nalu, MAX_SPS_BYTES)];
  const wholeBytes = Math.floor(decodingBits / BITS_PER_BYTE);
  const rest = BITS_PER_BYTE - (decodingBits % BITS_PER_BYTE);
  const isRestSame = ((before[wholeBytes] ?? 0) ^ (after[wholeBytes] ?? 0)) >> rest === 0;
  return isRestSame && isSameBytes(before.subarray(0, wholeBytes), after.subarray(0, wholeBytes));
}

/** But for the NAL header, whose nal_ref_idc means nothing here, and for zeros at the end. */
function isSamePayload(one: Uint8Array, other: Uint8Array): boolean {
  return isSameBytes(payloadOf(one), payloadOf(other));
}

function payloadOf(nalu: Uint8Array): Uint8Array {
  return nalu.subarray(1, withoutTrailingZeros(nalu, 1, nalu.length));
}
