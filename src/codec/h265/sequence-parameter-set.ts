/** Sequence parameter sets. ISO/IEC 23008-2 §7.3.2.2.1 (SPS) and §E.2.1 (VUI). */

import { BitReader } from '../../bytes/bit-reader.ts';
import { NAL_SPS, nalHeader, nalLayer, nalType, rbspOf } from './nal-unit.ts';
import { type ProfileTierLevel, readProfileTierLevel } from './profile-tier-level.ts';
import { skipScalingListData } from './scaling-list-data.ts';
import {
  MAX_REFERENCE_PICTURES,
  MAX_SHORT_TERM_SETS,
  readShortTermReferenceSet,
  type ShortTermReferenceSet,
} from './short-term-reference-set.ts';
import { readFrameRate } from './timing-info.ts';

export interface SequenceParameterSet {
  readonly id: number;
  readonly vpsId: number;
  /** sps_max_sub_layers_minus1 + 1 */
  readonly subLayers: number;
  /** sps_temporal_id_nesting_flag */
  readonly isTemporalIdNested: boolean;
  readonly profile: ProfileTierLevel;
  /** chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4. */
  readonly chromaFormat: number;
  /** separate_colour_plane_flag */
  readonly hasSeparatePlanes: boolean;
  readonly lumaBitDepth: number;
  readonly chromaBitDepth: number;
  /** After the conformance window. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** PicSizeInCtbsY: coding tree blocks of a picture. */
  readonly codingTreeBlocks: number;
  readonly blocks: BlockSizes;
  /** sample_adaptive_offset_enabled_flag */
  readonly hasSampleOffsets: boolean;
  /** Bits of slice_pic_order_cnt_lsb. */
  readonly pictureOrderBits: number;
  /** sps_max_num_reorder_pics of the highest sub-layer. */
  readonly maxReorderPictures: number;
  /** sps_max_dec_pic_buffering_minus1 + 1 of the highest sub-layer. */
  readonly maxBufferedPictures: number;
  readonly shortTermSets: readonly ShortTermReferenceSet[];
  /** long_term_ref_pics_present_flag, and the pictures that slice headers name by number. */
  readonly hasLongTermPictures: boolean;
  readonly longTermPictures: readonly LongTermPicture[];
  /** sps_temporal_mvp_enabled_flag */
  readonly hasTemporalMotion: boolean;
  /** Read from the VUI's timing; null when it is absent or nonsense. */
  readonly nominalFrameRateHz: number | null;
}

/** How pictures are divided, in luma samples. */
export interface BlockSizes {
  /** pic_width_in_luma_samples and pic_height_in_luma_samples: multiples of the smallest coding block. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** MinCbLog2SizeY and CtbLog2SizeY */
  readonly minBlockLog2: number;
  readonly treeLog2: number;
}

/** lt_ref_pic_poc_lsb_sps and used_by_curr_pic_lt_sps_flag. */
export interface LongTermPicture {
  readonly pictureOrderLsb: number;
  readonly isUsed: boolean;
}

/** Encoders write 30 to 60 bytes; 64 reference picture sets and scaling lists take a few hundred. */
export const MAX_SPS_BYTES = 4_096;
export const MAX_SPS_ID = 15;
const MAX_SUB_LAYERS = 7;
/** Level 6.2 ends at 35,651,584 luma samples; neither side exceeds the root of 8 times that (§A.4.1). */
const MAX_SIDE_PX = 16_888;
const MAX_PICTURE_PX = 35_651_584;
const MAX_BIT_DEPTH = 16;
const MAX_PICTURE_ORDER_BITS = 16;
/** A coding tree block has 16 to 64 samples on each side (§7.4.3.2.1). */
const MIN_TREE_LOG2 = 3;
const MAX_TREE_LOG2 = 6;
const MAX_LONG_TERM_PICTURES = 32;
const EXTENDED_SAR = 255;

/** null when `nalu` is not an SPS of the base layer, is truncated before its last flags, or has what no SPS may have. */
export function parseSequenceParameterSet(nalu: Uint8Array): SequenceParameterSet | null {
  const header = nalHeader(nalu);
  if (nalu.length > MAX_SPS_BYTES || nalType(header) !== NAL_SPS || nalLayer(header) !== 0) return null;
  const reader = new BitReader(rbspOf(nalu, MAX_SPS_BYTES));
  const vpsId = reader.bits(4);
  const subLayers = reader.bits(3) + 1;
  const isTemporalIdNested = reader.flag();
  if (subLayers > MAX_SUB_LAYERS) return null;
  const profile = readProfileTierLevel(reader, subLayers);
  const id = reader.expGolomb();
  const format = readFormat(reader);
  const pictureOrderBits = reader.expGolomb() + 4;
  const buffering = readBuffering(reader, subLayers);
  if (reader.isOverrun || id > MAX_SPS_ID || format === null || buffering === null) return null;
  if (pictureOrderBits > MAX_PICTURE_ORDER_BITS) return null;
  const coding = readBlocks(reader, format);
  const references = coding === null ? null : readReferences(reader, pictureOrderBits);
  if (coding === null || references === null) return null;
  const hasTemporalMotion = reader.flag();
  reader.skip(1); // strong_intra_smoothing_enabled_flag
  const hasVui = reader.flag();
  const { codedWidthPx: _width, codedHeightPx: _height, ...shown } = format;
  return {
    id,
    vpsId,
    subLayers,
    isTemporalIdNested,
    profile,
    ...shown,
    pictureOrderBits,
    ...coding,
    ...buffering,
    ...references,
    hasTemporalMotion,
    // Range, multilayer, 3D and screen content extensions follow the VUI: nothing in them matters here.
    nominalFrameRateHz: hasVui ? readVui(reader) : null,
  };
}

interface PictureFormat {
  readonly chromaFormat: number;
  readonly hasSeparatePlanes: boolean;
  readonly lumaBitDepth: number;
  readonly chromaBitDepth: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly codedWidthPx: number;
  readonly codedHeightPx: number;
}

/** Reads chroma_format_idc to the bit depths. The conformance window is counted in chroma samples (§7.4.3.2.1). */
function readFormat(reader: BitReader): PictureFormat | null {
  const chromaFormat = reader.expGolomb();
  const hasSeparatePlanes = chromaFormat === 3 && reader.flag();
  const codedWidthPx = reader.expGolomb();
  const codedHeightPx = reader.expGolomb();
  const hasWindow = reader.flag();
  const cropX = hasWindow ? reader.expGolomb() + reader.expGolomb() : 0;
  const cropY = hasWindow ? reader.expGolomb() + reader.expGolomb() : 0;
  const lumaBitDepth = reader.expGolomb() + 8;
  const chromaBitDepth = reader.expGolomb() + 8;
  const widthPx = codedWidthPx - cropX * (chromaFormat === 1 || chromaFormat === 2 ? 2 : 1);
  const heightPx = codedHeightPx - cropY * (chromaFormat === 1 ? 2 : 1);
  const isValid =
    chromaFormat <= 3 &&
    codedWidthPx <= MAX_SIDE_PX &&
    codedHeightPx <= MAX_SIDE_PX &&
    codedWidthPx * codedHeightPx <= MAX_PICTURE_PX &&
    widthPx > 0 &&
    heightPx > 0 &&
    lumaBitDepth <= MAX_BIT_DEPTH &&
    chromaBitDepth <= MAX_BIT_DEPTH;
  if (!isValid) return null;
  return {
    chromaFormat,
    hasSeparatePlanes,
    lumaBitDepth,
    chromaBitDepth,
    widthPx,
    heightPx,
    codedWidthPx,
    codedHeightPx,
  };
}

interface Buffering {
  readonly maxReorderPictures: number;
  readonly maxBufferedPictures: number;
}

/** The values of the highest sub-layer come last; they are the only ones if the lower ones have the same. */
function readBuffering(reader: BitReader, subLayers: number): Buffering | null {
  const entries = reader.flag() ? subLayers : 1;
  let maxBufferedPictures = 1;
  let maxReorderPictures = 0;
  for (let at = 0; at < entries; at++) {
    maxBufferedPictures = reader.expGolomb() + 1;
    maxReorderPictures = reader.expGolomb();
    reader.expGolomb(); // sps_max_latency_increase_plus1
  }
  if (maxBufferedPictures > MAX_REFERENCE_PICTURES) return null;
  // Cameras declare more than their buffer can reorder (webrtc-streamer pull request 615).
  return { maxReorderPictures: Math.min(maxReorderPictures, maxBufferedPictures - 1), maxBufferedPictures };
}

type Coding = Pick<SequenceParameterSet, 'codingTreeBlocks' | 'blocks' | 'hasSampleOffsets'>;

/** Reads the sizes of blocks to PCM. */
function readBlocks(reader: BitReader, format: PictureFormat): Coding | null {
  const minBlockLog2 = reader.expGolomb() + 3;
  const treeLog2 = minBlockLog2 + reader.expGolomb();
  reader.expGolomb(); // log2_min_luma_transform_block_size_minus2
  reader.expGolomb(); // log2_diff_max_min_luma_transform_block_size
  reader.expGolomb(); // max_transform_hierarchy_depth_inter
  reader.expGolomb(); // max_transform_hierarchy_depth_intra
  const hasScalingLists = reader.flag();
  if (hasScalingLists && reader.flag()) skipScalingListData(reader);
  reader.skip(1); // amp_enabled_flag
  const hasSampleOffsets = reader.flag();
  if (reader.flag()) {
    reader.skip(8); // pcm_sample_bit_depth_luma_minus1, pcm_sample_bit_depth_chroma_minus1
    reader.expGolomb(); // log2_min_pcm_luma_coding_block_size_minus3
    reader.expGolomb(); // log2_diff_max_min_pcm_luma_coding_block_size
    reader.skip(1); // pcm_loop_filter_disabled_flag
  }
  if (reader.isOverrun || treeLog2 < MIN_TREE_LOG2 || treeLog2 > MAX_TREE_LOG2) return null;
  const sidePx = 2 ** treeLog2;
  const { codedWidthPx: widthPx, codedHeightPx: heightPx } = format;
  const codingTreeBlocks = Math.ceil(widthPx / sidePx) * Math.ceil(heightPx / sidePx);
  return { codingTreeBlocks, blocks: { widthPx, heightPx, minBlockLog2, treeLog2 }, hasSampleOffsets };
}

interface References {
  readonly shortTermSets: readonly ShortTermReferenceSet[];
  readonly hasLongTermPictures: boolean;
  readonly longTermPictures: readonly LongTermPicture[];
}

function readReferences(reader: BitReader, pictureOrderBits: number): References | null {
  const count = reader.expGolomb();
  if (count > MAX_SHORT_TERM_SETS) return null;
  const shortTermSets: ShortTermReferenceSet[] = [];
  for (let at = 0; at < count; at++) {
    const set = readShortTermReferenceSet(reader, shortTermSets, false);
    if (set === null) return null;
    shortTermSets.push(set);
  }
  const hasLongTermPictures = reader.flag();
  const longTermCount = hasLongTermPictures ? reader.expGolomb() : 0;
  if (longTermCount > MAX_LONG_TERM_PICTURES) return null;
  const longTermPictures: LongTermPicture[] = [];
  for (let at = 0; at < longTermCount; at++) {
    longTermPictures.push({ pictureOrderLsb: reader.bits(pictureOrderBits), isUsed: reader.flag() });
  }
  return reader.isOverrun ? null : { shortTermSets, hasLongTermPictures, longTermPictures };
}

/** The frame rate. If a VUI is truncated, everything after that point counts as absent. */
function readVui(reader: BitReader): number | null {
  if (reader.flag() && reader.bits(8) === EXTENDED_SAR) reader.skip(32);
  if (reader.flag()) reader.skip(1); // overscan_appropriate_flag
  if (reader.flag()) {
    reader.skip(4); // video_format, video_full_range_flag
    if (reader.flag()) reader.skip(24); // color description
  }
  if (reader.flag()) {
    reader.expGolomb(); // chroma_sample_loc_type_top_field
    reader.expGolomb(); // chroma_sample_loc_type_bottom_field
  }
  reader.skip(3); // neutral_chroma_indication_flag, field_seq_flag, frame_field_info_present_flag
  if (reader.flag()) for (let side = 0; side < 4; side++) reader.expGolomb(); // default display window
  const rateHz = reader.flag() ? readFrameRate(reader) : null;
  return reader.isOverrun ? null : rateHz;
}
