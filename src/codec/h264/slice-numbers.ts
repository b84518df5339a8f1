/** The numbers by which slices refer to other pictures. ISO/IEC 14496-10 §7.3.3. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { isReference, NAL_IDR_SLICE, nalType, rbspOf } from './nal-unit.ts';
import type { PictureCoding } from './picture-coding.ts';

export interface SliceNumbers {
  readonly isReference: boolean;
  readonly frameNum: number;
  /** pic_order_cnt_lsb; 0 if the stream has none. */
  readonly pictureOrder: number;
  /** Where frame_num begins, in bits after the NAL header, with emulation prevention removed. */
  readonly frameNumAtBit: number;
  /** Where pic_order_cnt_lsb begins. */
  readonly pictureOrderAtBit: number;
}

/** A header of this many bytes has room for 32 references with all their weights left at the default. */
export const SLICE_HEAD_BYTES = 64;
const P_SLICE = 0;
const I_SLICE = 2;
const SLICE_TYPES = 5;
const MODIFICATION_END = 3;
const LONG_TERM_MODIFICATION = 2;
const MAX_REFERENCES = 32;

/**
 * null when no made-up picture can follow the slice: B slices, slices of redundant pictures, and slices that manage
 * their references themselves (memory management operations, long-term references), because a lost slice may have done
 * so too. Also null when the header cannot be read. Only the first SLICE_HEAD_BYTES of `nalu` are read.
 */
export function readSliceNumbers(nalu: Uint8Array, coding: PictureCoding): SliceNumbers | null {
  const reader = new BitReader(rbspOf(nalu, SLICE_HEAD_BYTES));
  const isIdr = nalType(nalu[0]!) === NAL_IDR_SLICE;
  const totalBits = reader.bitsLeft;
  reader.expGolomb(); // first_mb_in_slice
  const sliceType = reader.expGolomb() % SLICE_TYPES;
  const ppsId = reader.expGolomb();
  if (ppsId !== coding.ppsId || (sliceType !== P_SLICE && sliceType !== I_SLICE)) return null;
  const frameNumAtBit = totalBits - reader.bitsLeft;
  const frameNum = reader.bits(coding.frameNumBits);
  if (isIdr) reader.expGolomb(); // idr_pic_id
  const pictureOrderAtBit = totalBits - reader.bitsLeft;
  const pictureOrder = reader.bits(coding.pictureOrderBits);
  if (coding.pictureOrderBits > 0 && coding.hasBottomFieldOrder) reader.signedExpGolomb();
  if (coding.hasRedundantPictures && reader.expGolomb() > 0) return null;
  if (sliceType === P_SLICE && !skipReferences(reader, coding)) return null;
  const isReferencePicture = isReference(nalu[0]!);
  const managesReferences = isReferencePicture && readManagement(reader, isIdr);
  if (reader.isOverrun || managesReferences) return null;
  return { isReference: isReferencePicture, frameNum, pictureOrder, frameNumAtBit, pictureOrderAtBit };
}

/** False if the slice names long-term references. */
function skipReferences(reader: BitReader, coding: PictureCoding): boolean {
  const references = reader.flag() ? reader.expGolomb() + 1 : coding.defaultReferences;
  if (references > MAX_REFERENCES) return false;
  if (reader.flag()) {
    for (let left = MAX_REFERENCES + 1; left > 0; left--) {
      const modification = reader.expGolomb();
      if (modification === MODIFICATION_END) break;
      if (modification === LONG_TERM_MODIFICATION) return false;
      reader.expGolomb(); // abs_diff_pic_num_minus1
    }
  }
  if (coding.hasWeights) skipWeights(reader, references, coding.isMonochrome);
  return true;
}

/** pred_weight_table, §7.3.3.2. */
function skipWeights(reader: BitReader, references: number, isMonochrome: boolean): void {
  reader.expGolomb(); // luma_log2_weight_denom
  if (!isMonochrome) reader.expGolomb(); // chroma_log2_weight_denom
  for (let at = 0; at < references; at++) {
    const lumaWeights = reader.flag() ? 2 : 0;
    for (let code = 0; code < lumaWeights; code++) reader.signedExpGolomb();
    const chromaWeights = !isMonochrome && reader.flag() ? 4 : 0;
    for (let code = 0; code < chromaWeights; code++) reader.signedExpGolomb();
  }
}

/**
 * dec_ref_pic_marking, §7.3.3.3: long_term_reference_flag of an IDR picture, otherwise
 * adaptive_ref_pic_marking_mode_flag.
 */
function readManagement(reader: BitReader, isIdr: boolean): boolean {
  if (isIdr) reader.skip(1); // no_output_of_prior_pics_flag
  return reader.flag();
}
