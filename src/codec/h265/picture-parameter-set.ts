/** Picture parameter sets, as far as slice segment headers and skipped blocks depend on them. ISO/IEC 23008-2 §7.3.2.3.1. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { NAL_PPS, nalHeader, nalLayer, nalType, rbspOf } from './nal-unit.ts';
import { skipScalingListData } from './scaling-list-data.ts';
import { MAX_SPS_ID } from './sequence-parameter-set.ts';

export interface PictureParameterSet {
  readonly id: number;
  readonly spsId: number;
  /** dependent_slice_segments_enabled_flag */
  readonly hasDependentSegments: boolean;
  /** output_flag_present_flag */
  readonly hasOutputFlag: boolean;
  /** num_extra_slice_header_bits */
  readonly extraHeaderBits: number;
  /** null: truncated, or with extensions. */
  readonly slices: SliceParameters | null;
}

/** Additional fields of a P slice, and how its blocks are coded. Flags by their names in the standard. */
export interface SliceParameters {
  /** cabac_init_present_flag */
  readonly hasCabacInit: boolean;
  /** 26 + init_qp_minus26 */
  readonly initialQp: number;
  /** pps_slice_chroma_qp_offsets_present_flag */
  readonly hasChromaQpOffsets: boolean;
  /** weighted_pred_flag */
  readonly hasWeights: boolean;
  /** transquant_bypass_enabled_flag */
  readonly mayBypassTransform: boolean;
  /** tiles_enabled_flag */
  readonly hasTiles: boolean;
  /** entropy_coding_sync_enabled_flag: each row of coding tree blocks is a substream. */
  readonly isCodedInRows: boolean;
  /** pps_loop_filter_across_slices_enabled_flag */
  readonly hasFilterAcrossSlices: boolean;
  /** deblocking_filter_override_enabled_flag */
  readonly mayOverrideDeblocking: boolean;
  /** pps_deblocking_filter_disabled_flag */
  readonly isDeblockingDisabled: boolean;
  /** slice_segment_header_extension_present_flag */
  readonly hasHeaderExtension: boolean;
}

/** Encoders write 5 to 20 bytes; tiles, scaling lists and extensions make it longer. */
export const MAX_PPS_BYTES = 4_096;
const MAX_PPS_ID = 63;
const QP_BASE = 26;
const MAX_TILES_PER_SIDE = 22;

/** null when `nalu` is not a PPS of the base layer, or its ids are out of range. */
export function parsePictureParameterSet(nalu: Uint8Array): PictureParameterSet | null {
  const header = nalHeader(nalu);
  if (nalu.length > MAX_PPS_BYTES || nalType(header) !== NAL_PPS || nalLayer(header) !== 0) return null;
  const reader = new BitReader(rbspOf(nalu, MAX_PPS_BYTES));
  const id = reader.expGolomb();
  const spsId = reader.expGolomb();
  const hasDependentSegments = reader.flag();
  const hasOutputFlag = reader.flag();
  const extraHeaderBits = reader.bits(3);
  if (reader.isOverrun || id > MAX_PPS_ID || spsId > MAX_SPS_ID) return null;
  const slices = readSliceParameters(reader);
  return { id, spsId, hasDependentSegments, hasOutputFlag, extraHeaderBits, slices };
}

/** Reads sign_data_hiding_enabled_flag and everything after it. */
function readSliceParameters(reader: BitReader): SliceParameters | null {
  reader.skip(1); // sign_data_hiding_enabled_flag
  const hasCabacInit = reader.flag();
  reader.expGolomb(); // num_ref_idx_l0_default_active_minus1
  reader.expGolomb(); // num_ref_idx_l1_default_active_minus1
  const initialQp = QP_BASE + reader.signedExpGolomb();
  reader.skip(2); // constrained_intra_pred_flag, transform_skip_enabled_flag
  if (reader.flag()) reader.expGolomb(); // diff_cu_qp_delta_depth
  reader.signedExpGolomb(); // pps_cb_qp_offset
  reader.signedExpGolomb(); // pps_cr_qp_offset
  const hasChromaQpOffsets = reader.flag();
  const hasWeights = reader.flag();
  reader.skip(1); // weighted_bipred_flag
  const mayBypassTransform = reader.flag();
  const hasTiles = reader.flag();
  const isCodedInRows = reader.flag();
  if (hasTiles && !skipTiles(reader)) return null;
  const hasFilterAcrossSlices = reader.flag();
  const hasDeblockingControl = reader.flag();
  const mayOverrideDeblocking = hasDeblockingControl && reader.flag();
  const isDeblockingDisabled = hasDeblockingControl && reader.flag();
  if (hasDeblockingControl && !isDeblockingDisabled) {
    reader.signedExpGolomb(); // pps_beta_offset_div2
    reader.signedExpGolomb(); // pps_tc_offset_div2
  }
  if (reader.flag()) skipScalingListData(reader);
  reader.skip(1); // lists_modification_present_flag
  reader.expGolomb(); // log2_parallel_merge_level_minus2
  const hasHeaderExtension = reader.flag();
  const hasExtensions = reader.flag();
  if (reader.isOverrun || hasExtensions) return null;
  return {
    hasCabacInit,
    initialQp,
    hasChromaQpOffsets,
    hasWeights,
    mayBypassTransform,
    hasTiles,
    isCodedInRows,
    hasFilterAcrossSlices,
    mayOverrideDeblocking,
    isDeblockingDisabled,
    hasHeaderExtension,
  };
}

function skipTiles(reader: BitReader): boolean {
  const columns = reader.expGolomb() + 1;
  const rows = reader.expGolomb() + 1;
  if (columns > MAX_TILES_PER_SIDE || rows > MAX_TILES_PER_SIDE) return false;
  const isUniform = reader.flag();
  // column_width_minus1 and row_height_minus1 of all but the last one
  for (let left = isUniform ? 0 : columns + rows - 2; left > 0; left--) reader.expGolomb();
  reader.skip(1); // loop_filter_across_tiles_enabled_flag
  return true;
}
