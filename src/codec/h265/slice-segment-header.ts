/** Slice segment headers up to the reference picture set. ISO/IEC 23008-2 §7.3.6.1. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { isIdr, isIrap, isVcl, nalHeader, nalType, rbspOf } from './nal-unit.ts';
import type { PictureParameterSet } from './picture-parameter-set.ts';
import type { SequenceParameterSet } from './sequence-parameter-set.ts';
import {
  MAX_REFERENCE_PICTURES,
  readShortTermReferenceSet,
  type ShortTermReferenceSet,
} from './short-term-reference-set.ts';

/** The beginning of every slice segment header: it needs no parameter set. */
export interface SliceSegmentHead {
  /** first_slice_segment_in_pic_flag */
  readonly isFirst: boolean;
  /** no_output_of_prior_pics_flag; false unless it is an IRAP picture. */
  readonly dropsPriorPictures: boolean;
  readonly ppsId: number;
}

/** A long-term reference picture of a slice. */
export interface LongTermReference {
  readonly pictureOrderLsb: number;
  readonly isUsed: boolean;
  /** DeltaPocMsbCycleLt: how many times the lsb wrapped since; null: the lsb alone identifies it. */
  readonly msbCycles: number | null;
}

export interface SliceSegmentHeader extends SliceSegmentHead {
  /** dependent_slice_segment_flag: the following fields are as in the slice segment before it, and absent here. */
  readonly isDependent: boolean;
  /** slice_segment_address, in coding tree blocks */
  readonly address: number;
  /** null in a dependent segment. */
  readonly slice: SliceHeader | null;
}

export type SliceType = 'B' | 'P' | 'I';

export interface SliceHeader {
  readonly type: SliceType;
  /** pic_output_flag */
  readonly isShown: boolean;
  /** slice_pic_order_cnt_lsb; 0 in an IDR picture. */
  readonly pictureOrderLsb: number;
  /** Where slice_pic_order_cnt_lsb begins in the RBSP, in bits; -1 in an IDR picture. */
  readonly pictureOrderAtBit: number;
  /** null in an IDR picture. */
  readonly shortTerm: ShortTermReferenceSet | null;
  readonly longTerm: readonly LongTermReference[];
  /** slice_temporal_mvp_enabled_flag */
  readonly usesTemporalMotion: boolean;
}

const SLICE_TYPES: readonly SliceType[] = ['B', 'P', 'I'];
const MAX_PPS_ID = 63;
const HEAD_BYTES = 8;
/** 16 short-term and 32 long-term pictures with the longest codes; cameras need 10 to 20 bytes. */
const HEADER_BYTES = 512;

/** The part before everything that depends on parameter sets. null: not a slice, or truncated. */
export function readSliceSegmentHead(nalu: Uint8Array): SliceSegmentHead | null {
  const type = nalType(nalHeader(nalu));
  return isVcl(type) ? readHead(new BitReader(rbspOf(nalu, HEAD_BYTES)), type) : null;
}

/** `pps` and `sps`: those that the slice refers to. null: not a slice, truncated, or not of these parameter sets. */
export function readSliceSegmentHeader(
  nalu: Uint8Array,
  pps: PictureParameterSet,
  sps: SequenceParameterSet,
): SliceSegmentHeader | null {
  const type = nalType(nalHeader(nalu));
  if (!isVcl(type)) return null;
  const rbsp = rbspOf(nalu, HEADER_BYTES);
  const reader = new BitReader(rbsp);
  const head = readHead(reader, type);
  if (head === null || head.ppsId !== pps.id || pps.spsId !== sps.id) return null;
  const isDependent = !head.isFirst && pps.hasDependentSegments && reader.flag();
  const address = head.isFirst ? 0 : reader.bits(ceilLog2(sps.codingTreeBlocks));
  if (reader.isOverrun || address >= sps.codingTreeBlocks) return null;
  if (isDependent) return { ...head, isDependent, address, slice: null };
  const slice = readSlice(reader, type, pps, sps, rbsp.length * 8);
  return slice === null ? null : { ...head, isDependent, address, slice };
}

function readHead(reader: BitReader, type: number): SliceSegmentHead | null {
  const isFirst = reader.flag();
  const dropsPriorPictures = isIrap(type) && reader.flag();
  const ppsId = reader.expGolomb();
  return reader.isOverrun || ppsId > MAX_PPS_ID ? null : { isFirst, dropsPriorPictures, ppsId };
}

function readSlice(
  reader: BitReader,
  nalUnitType: number,
  pps: PictureParameterSet,
  sps: SequenceParameterSet,
  rbspBits: number,
): SliceHeader | null {
  reader.skip(pps.extraHeaderBits); // slice_reserved_flag
  const type = SLICE_TYPES[reader.expGolomb()];
  const isShown = !pps.hasOutputFlag || reader.flag();
  if (sps.hasSeparatePlanes) reader.skip(2); // colour_plane_id
  if (type === undefined || reader.isOverrun) return null;
  if (isIdr(nalUnitType)) {
    const nothing = { pictureOrderLsb: 0, pictureOrderAtBit: -1, shortTerm: null, longTerm: [] };
    return { type, isShown, ...nothing, usesTemporalMotion: false };
  }
  const pictureOrderAtBit = rbspBits - reader.bitsLeft;
  const pictureOrderLsb = reader.bits(sps.pictureOrderBits);
  const shortTerm = readShortTerm(reader, sps);
  const longTerm = sps.hasLongTermPictures ? readLongTerm(reader, sps) : [];
  const usesTemporalMotion = sps.hasTemporalMotion && reader.flag();
  if (shortTerm === null || longTerm === null || reader.isOverrun) return null;
  return { type, isShown, pictureOrderLsb, pictureOrderAtBit, shortTerm, longTerm, usesTemporalMotion };
}

function readShortTerm(reader: BitReader, sps: SequenceParameterSet): ShortTermReferenceSet | null {
  const sets = sps.shortTermSets;
  const isFromSps = reader.flag(); // short_term_ref_pic_set_sps_flag
  if (!isFromSps) return readShortTermReferenceSet(reader, sets, true);
  return sets[reader.bits(ceilLog2(sets.length))] ?? null;
}

/** §7.4.7.1: pictures from the SPS come first; cycles add up within each of the two groups. */
function readLongTerm(reader: BitReader, sps: SequenceParameterSet): LongTermReference[] | null {
  const known = sps.longTermPictures;
  const knownCount = known.length > 0 ? reader.expGolomb() : 0;
  const count = knownCount + reader.expGolomb();
  if (count > MAX_REFERENCE_PICTURES) return null;
  const references: LongTermReference[] = [];
  let cycles = 0;
  for (let at = 0; at < count; at++) {
    const isKnown = at < knownCount;
    const index = isKnown ? reader.bits(ceilLog2(known.length)) : 0;
    const picture = isKnown
      ? known[index]
      : { pictureOrderLsb: reader.bits(sps.pictureOrderBits), isUsed: reader.flag() };
    if (picture === undefined || reader.isOverrun) return null;
    if (at === knownCount) cycles = 0;
    const hasCycles = reader.flag(); // delta_poc_msb_present_flag
    if (hasCycles) cycles += reader.expGolomb();
    references.push({ ...picture, msbCycles: hasCycles ? cycles : null });
  }
  return references;
}

/** Bits of a number below `count`. */
function ceilLog2(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}
