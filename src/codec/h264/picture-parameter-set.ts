/** Picture parameter sets, as far as slice headers depend on them. ISO/IEC 14496-10 §7.3.2.2. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { NAL_PPS, nalType, rbspOf } from './nal-unit.ts';
import { MAX_SPS_ID } from './sequence-parameter-set.ts';

export interface PictureParameterSet {
  readonly id: number;
  readonly spsId: number;
  /** null when the PPS is truncated, or has slice groups (FMO). */
  readonly slices: SliceParameters | null;
}

/** The parameters of slices that use a PPS. */
export interface SliceParameters {
  /** entropy_coding_mode_flag */
  readonly isCabac: boolean;
  /** bottom_field_pic_order_in_frame_present_flag */
  readonly hasBottomFieldOrder: boolean;
  /** num_ref_idx_l0_default_active_minus1 + 1 */
  readonly defaultReferences: number;
  /** weighted_pred_flag */
  readonly hasWeights: boolean;
  /** 26 + pic_init_qp_minus26 */
  readonly initialQp: number;
  /** deblocking_filter_control_present_flag */
  readonly hasDeblockingControl: boolean;
  /** redundant_pic_cnt_present_flag */
  readonly hasRedundantPictures: boolean;
}

/** A PPS with all its scaling lists stays below this. */
export const MAX_PPS_BYTES = 1024;
const MAX_PPS_ID = 255;
const MAX_REFERENCES = 32;
const HEAD_BYTES = 40;

/** null when `nalu` is not a PPS or its ids are out of range. */
export function parsePictureParameterSet(nalu: Uint8Array): PictureParameterSet | null {
  if (nalu.length < 2 || nalu.length > MAX_PPS_BYTES || nalType(nalu[0]!) !== NAL_PPS) return null;
  const reader = new BitReader(rbspOf(nalu, HEAD_BYTES));
  const id = reader.expGolomb();
  const spsId = reader.expGolomb();
  if (reader.isOverrun || id > MAX_PPS_ID || spsId > MAX_SPS_ID) return null;
  return { id, spsId, slices: readSliceParameters(reader) };
}

function readSliceParameters(reader: BitReader): SliceParameters | null {
  const isCabac = reader.flag();
  const hasBottomFieldOrder = reader.flag();
  const hasSliceGroups = reader.expGolomb() > 0;
  if (hasSliceGroups) return null;
  const defaultReferences = reader.expGolomb() + 1;
  reader.expGolomb(); // num_ref_idx_l1_default_active_minus1
  const hasWeights = reader.flag();
  reader.skip(2); // weighted_bipred_idc
  const initialQp = 26 + reader.signedExpGolomb();
  reader.signedExpGolomb(); // pic_init_qs_minus26
  reader.signedExpGolomb(); // chroma_qp_index_offset
  const hasDeblockingControl = reader.flag();
  reader.skip(1); // constrained_intra_pred_flag
  const hasRedundantPictures = reader.flag();
  if (reader.isOverrun || defaultReferences > MAX_REFERENCES) return null;
  return {
    isCabac,
    hasBottomFieldOrder,
    defaultReferences,
    hasWeights,
    initialQp,
    hasDeblockingControl,
    hasRedundantPictures,
  };
}
