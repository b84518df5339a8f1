/** The parameter sets of one H.265 stream, from its SDP and in band, and the track that they describe. */

import { isSameBytes } from '../same-bytes.ts';
import type { H265Track } from '../track.ts';
import { type PictureCoding, pictureCodingOf } from './picture-coding.ts';
import { type PictureParameterSet, parsePictureParameterSet } from './picture-parameter-set.ts';
import { h265CodecString } from './profile-tier-level.ts';
import { parseSequenceParameterSet, type SequenceParameterSet } from './sequence-parameter-set.ts';
import { parseVideoParameterSet, type VideoParameterSet } from './video-parameter-set.ts';

/** Encoders have one or two; the standard allows 64. Any beyond this limit are rejected. */
const MAX_HELD_PPS = 32;

/** `added`: no picture so far can have used it. `replaced`: pictures may have used its predecessor. */
export type ParameterSetChange = 'invalid' | 'same' | 'added' | 'replaced';

interface Held<Set> {
  readonly nalu: Uint8Array;
  readonly set: Set;
}

export class ParameterSets {
  readonly #timescaleHz: number;
  readonly #vpsById = new Map<number, Held<VideoParameterSet>>();
  readonly #spsById = new Map<number, Held<SequenceParameterSet>>();
  readonly #ppsById = new Map<number, Held<PictureParameterSet>>();
  /** Tracks made since the last change, by SPS id: the same object as long as nothing changes. */
  readonly #tracksBySpsId = new Map<number, H265Track>();

  constructor(timescaleHz: number) {
    this.#timescaleHz = timescaleHz;
  }

  /** Borrows `nalu`; keeps a copy if it is new. */
  putVps(nalu: Uint8Array): ParameterSetChange {
    const vps = parseVideoParameterSet(nalu);
    return vps === null ? 'invalid' : this.#put(this.#vpsById, nalu, vps);
  }

  /** Borrows `nalu`; keeps a copy if it is new. */
  putSps(nalu: Uint8Array): ParameterSetChange {
    const sps = parseSequenceParameterSet(nalu);
    return sps === null ? 'invalid' : this.#put(this.#spsById, nalu, sps);
  }

  /** Borrows `nalu`; keeps a copy if it is new. */
  putPps(nalu: Uint8Array): ParameterSetChange {
    const pps = parsePictureParameterSet(nalu);
    if (pps === null || (!this.#ppsById.has(pps.id) && this.#ppsById.size >= MAX_HELD_PPS)) return 'invalid';
    return this.#put(this.#ppsById, nalu, pps);
  }

  /** The decoder configuration of a picture that uses `ppsId`; null while one of the sets is missing. */
  trackFor(ppsId: number): H265Track | null {
    const spsId = this.#ppsById.get(ppsId)?.set.spsId ?? -1;
    const known = this.#tracksBySpsId.get(spsId);
    if (known !== undefined) return known;
    const sps = this.#spsById.get(spsId);
    const vps = sps === undefined ? undefined : this.#vpsById.get(sps.set.vpsId);
    if (sps === undefined || vps === undefined) return null;
    const track: H265Track = {
      kind: 'video',
      codec: 'h265',
      timescaleHz: this.#timescaleHz,
      vps: [vps.nalu],
      sps: [sps.nalu],
      pps: [...this.#ppsById.values()].filter(({ set }) => set.spsId === spsId).map(({ nalu }) => nalu),
      widthPx: sps.set.widthPx,
      heightPx: sps.set.heightPx,
      nominalFrameRateHz: sps.set.nominalFrameRateHz ?? vps.set.nominalFrameRateHz,
      codecString: h265CodecString(sps.set.profile),
    };
    this.#tracksBySpsId.set(spsId, track);
    return track;
  }

  /** The SPS of a picture that uses `ppsId`; null while one of the sets is missing. */
  spsFor(ppsId: number): SequenceParameterSet | null {
    const spsId = this.#ppsById.get(ppsId)?.set.spsId ?? -1;
    return this.#spsById.get(spsId)?.set ?? null;
  }

  /** The coding of pictures that use `ppsId`; null while a set is missing, and as pictureCodingOf says. */
  codingFor(ppsId: number): PictureCoding | null {
    const pps = this.#ppsById.get(ppsId)?.set;
    const sps = this.spsFor(ppsId);
    return pps === undefined || sps === null ? null : pictureCodingOf(sps, pps);
  }

  #put<Set extends { readonly id: number }>(
    sets: Map<number, Held<Set>>,
    nalu: Uint8Array,
    set: Set,
  ): ParameterSetChange {
    const held = sets.get(set.id);
    if (held !== undefined && isSameBytes(held.nalu, nalu)) return 'same';
    sets.set(set.id, { nalu: new Uint8Array(nalu), set });
    this.#tracksBySpsId.clear();
    return held === undefined ? 'added' : 'replaced';
  }
}
