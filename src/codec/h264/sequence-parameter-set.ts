/** Sequence parameter sets. ISO/IEC 14496-10 §7.3.2.1.1 (SPS) and §E.1.1 (VUI). */

import { BitReader } from '../../bytes/bit-reader.ts';
import { NAL_SPS, nalType, rbspOf } from './nal-unit.ts';

export interface SequenceParameterSet {
  readonly id: number;
  readonly profileIdc: number;
  /** The byte between profile and level: constraint_set0_flag is its top bit. */
  readonly constraintFlags: number;
  readonly levelIdc: number;
  /** After cropping. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** False: pictures may be fields, two per frame. */
  readonly isFramesOnly: boolean;
  /** Read from the VUI's timing; null when it is absent or nonsense. */
  readonly nominalFrameRateHz: number | null;
  /** max_num_reorder_frames from the VUI; null when absent. */
  readonly maxReorderFrames: number | null;
  /** Bits of frame_num in a slice header. */
  readonly frameNumBits: number;
  /** pic_order_cnt_type */
  readonly pictureOrderType: number;
  /** Bits of pic_order_cnt_lsb in a slice header; 0 unless the type is 0. */
  readonly pictureOrderBits: number;
  /** gaps_in_frame_num_value_allowed_flag */
  readonly mayHaveFrameNumGaps: boolean;
  /** ChromaArrayType; 0 is monochrome, or three separately coded planes. */
  readonly chromaArrayType: number;
  /** separate_colour_plane_flag */
  readonly hasSeparatePlanes: boolean;
  /** Frame height. */
  readonly macroblocks: number;
  /** Bits before vui_parameters_present_flag, with emulation prevention removed: all that decoding depends on. */
  readonly decodingBits: number;
}

/** Far above what encoders write (20 to 60 bytes, a few hundred with scaling lists). */
export const MAX_SPS_BYTES = 1024;
export const MAX_SPS_ID = 31;
/** Level 6.2 ends at 139,264 macroblocks per frame (table A-1); neither side exceeds sqrt(8 times that). */
const MAX_SIDE_MACROBLOCKS = 1056;
const MAX_FRAME_MACROBLOCKS = 139_264;
const MACROBLOCK_PX = 16;
const PROFILES_WITH_CHROMA_FORMAT = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const EXTENDED_SAR = 255;
const MAX_REORDER_FRAMES = 16;
const MAX_POC_CYCLE = 255;
const MAX_HRD_ENTRIES = 32;
/** A rate above this comes from a field that was filled with something else. */
const MAX_FRAME_RATE_HZ = 300;

/** null when `nalu` is not an SPS, is truncated before the size, or describes a picture that no level allows. */
export function parseSequenceParameterSet(nalu: Uint8Array): SequenceParameterSet | null {
  if (nalu.length < 5 || nalu.length > MAX_SPS_BYTES || nalType(nalu[0]!) !== NAL_SPS) return null;
  const reader = new BitReader(rbspOf(nalu, MAX_SPS_BYTES));
  const totalBits = reader.bitsLeft;
  const profileIdc = reader.bits(8);
  const constraintFlags = reader.bits(8);
  const levelIdc = reader.bits(8);
  const id = reader.expGolomb();
  const chroma = readChroma(reader, profileIdc);
  const numbering = readNumbering(reader);
  reader.expGolomb(); // max_num_ref_frames
  const mayHaveFrameNumGaps = reader.flag();
  const size = readSize(reader, chroma.chromaArrayType);
  if (reader.isOverrun || id > MAX_SPS_ID || size === null) return null;
  const decodingBits = totalBits - reader.bitsLeft;
  const timing = reader.flag() ? readVui(reader) : SILENT_VUI;
  const head = { id, profileIdc, constraintFlags, levelIdc };
  return { ...head, ...chroma, ...numbering, mayHaveFrameNumGaps, ...size, decodingBits, ...timing };
}

/** RFC 6381 §3.3: `avc1.` followed by profile, constraint flags and level in hexadecimal. */
export function h264CodecString(sps: SequenceParameterSet): string {
  const bytes = Uint8Array.of(sps.profileIdc, sps.constraintFlags, sps.levelIdc);
  return `avc1.${Buffer.from(bytes).toString('hex')}`;
}

interface Chroma {
  readonly chromaArrayType: number;
  readonly hasSeparatePlanes: boolean;
}

/** chroma_format_idc; 4:4:4 in separate planes counts as monochrome (ChromaArrayType). */
function readChroma(reader: BitReader, profileIdc: number): Chroma {
  if (!PROFILES_WITH_CHROMA_FORMAT.has(profileIdc)) return { chromaArrayType: 1, hasSeparatePlanes: false };
  const format = reader.expGolomb();
  const isSeparate = format === 3 && reader.flag();
  reader.expGolomb(); // bit_depth_luma_minus8
  reader.expGolomb(); // bit_depth_chroma_minus8
  reader.skip(1); // qpprime_y_zero_transform_bypass_flag
  if (reader.flag()) skipScalingLists(reader, format === 3 ? 12 : 8);
  return { chromaArrayType: isSeparate ? 0 : format, hasSeparatePlanes: isSeparate };
}

interface Numbering {
  readonly frameNumBits: number;
  readonly pictureOrderType: number;
  readonly pictureOrderBits: number;
}

function readNumbering(reader: BitReader): Numbering {
  const frameNumBits = reader.expGolomb() + 4;
  const pictureOrderType = reader.expGolomb();
  let pictureOrderBits = 0;
  if (pictureOrderType === 0) {
    pictureOrderBits = reader.expGolomb() + 4;
  } else if (pictureOrderType === 1) {
    reader.skip(1); // delta_pic_order_always_zero_flag
    reader.signedExpGolomb(); // offset_for_non_ref_pic
    reader.signedExpGolomb(); // offset_for_top_to_bottom_field
    const cycle = Math.min(reader.expGolomb(), MAX_POC_CYCLE);
    for (let at = 0; at < cycle && !reader.isOverrun; at++) reader.signedExpGolomb();
  }
  return { frameNumBits, pictureOrderType, pictureOrderBits };
}

interface PictureSize {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly isFramesOnly: boolean;
  readonly macroblocks: number;
}

/** §7.4.2.1.1: cropping is counted in chroma samples, and in field lines if pictures may be fields. */
function readSize(reader: BitReader, chromaFormat: number): PictureSize | null {
  const widthMacroblocks = reader.expGolomb() + 1;
  const heightMapUnits = reader.expGolomb() + 1;
  const isFramesOnly = reader.flag();
  if (!isFramesOnly) reader.skip(1); // mb_adaptive_frame_field_flag
  reader.skip(1); // direct_8x8_inference_flag
  const heightMacroblocks = heightMapUnits * (isFramesOnly ? 1 : 2);
  const isTooLarge =
    widthMacroblocks > MAX_SIDE_MACROBLOCKS ||
    heightMacroblocks > MAX_SIDE_MACROBLOCKS ||
    widthMacroblocks * heightMacroblocks > MAX_FRAME_MACROBLOCKS;
  const cropXUnitPx = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const cropYUnitPx = (chromaFormat === 1 ? 2 : 1) * (isFramesOnly ? 1 : 2);
  const hasCropping = reader.flag();
  const cropX = hasCropping ? reader.expGolomb() + reader.expGolomb() : 0;
  const cropY = hasCropping ? reader.expGolomb() + reader.expGolomb() : 0;
  const widthPx = widthMacroblocks * MACROBLOCK_PX - cropX * cropXUnitPx;
  const heightPx = heightMacroblocks * MACROBLOCK_PX - cropY * cropYUnitPx;
  return isTooLarge || widthPx <= 0 || heightPx <= 0
    ? null
    : { widthPx, heightPx, isFramesOnly, macroblocks: widthMacroblocks * heightMacroblocks };
}

interface VuiTiming {
  readonly nominalFrameRateHz: number | null;
  readonly maxReorderFrames: number | null;
}

const SILENT_VUI: VuiTiming = { nominalFrameRateHz: null, maxReorderFrames: null };

/**
 * If a VUI is truncated (firmwares that write its flags and forget its end), everything after that point counts as
 * absent.
 */
function readVui(reader: BitReader): VuiTiming {
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
  const nominalFrameRateHz = reader.flag() ? readFrameRate(reader) : null;
  if (reader.isOverrun) return SILENT_VUI;
  return { nominalFrameRateHz, maxReorderFrames: readReorderFrames(reader) };
}

/** §E.2.1: a tick of num_units_in_tick / time_scale seconds is one field, half a frame. */
function readFrameRate(reader: BitReader): number | null {
  const unitsInTick = reader.bits(32);
  const timeScale = reader.bits(32);
  reader.skip(1); // fixed_frame_rate_flag
  const rateHz = timeScale / (2 * unitsInTick);
  return unitsInTick > 0 && rateHz > 0 && rateHz <= MAX_FRAME_RATE_HZ ? rateHz : null;
}

function readReorderFrames(reader: BitReader): number | null {
  const hasNalHrd = reader.flag();
  if (hasNalHrd) skipHrd(reader);
  const hasVclHrd = reader.flag();
  if (hasVclHrd) skipHrd(reader);
  if (hasNalHrd || hasVclHrd) reader.skip(1); // low_delay_hrd_flag
  reader.skip(1); // pic_struct_present_flag
  if (!reader.flag()) return null;
  reader.skip(1); // motion_vectors_over_pic_boundaries_flag
  for (let field = 0; field < 4; field++) reader.expGolomb(); // byte, bit and vector bounds
  const maxReorderFrames = reader.expGolomb();
  return reader.isOverrun || maxReorderFrames > MAX_REORDER_FRAMES ? null : maxReorderFrames;
}

/** §E.1.2. */
function skipHrd(reader: BitReader): void {
  const entries = Math.min(reader.expGolomb() + 1, MAX_HRD_ENTRIES);
  reader.skip(8); // bit_rate_scale, cpb_size_scale
  for (let entry = 0; entry < entries && !reader.isOverrun; entry++) {
    reader.expGolomb(); // bit_rate_value_minus1
    reader.expGolomb(); // cpb_size_value_minus1
    reader.skip(1); // cbr_flag
  }
  reader.skip(20); // delay lengths
}

const SMALL_LISTS = 6;
const SMALL_LIST_SIZE = 16;
const LARGE_LIST_SIZE = 64;

/**
 * Scaling lists precede fields that we need, so they are skipped. ISO/IEC 14496-10 §7.3.2.1.1.1. `listCount`: 8, or 12 with chroma_format_idc 3. The reader
 * is positioned after the matrix_present_flag.
 */
function skipScalingLists(reader: BitReader, listCount: number): void {
  for (let list = 0; list < listCount; list++) {
    if (reader.flag()) skipScalingList(reader, list < SMALL_LISTS ? SMALL_LIST_SIZE : LARGE_LIST_SIZE);
  }
}

function skipScalingList(reader: BitReader, size: number): void {
  let lastScale = 8;
  for (let at = 0; at < size && !reader.isOverrun; at++) {
    const nextScale = (lastScale + reader.signedExpGolomb() + 256) % 256;
    // 0 ends the list: the last value applies to the rest.
    if (nextScale === 0) return;
    lastScale = nextScale;
  }
}
