/** The traits of H.264's NAL units for the access unit assembler. ISO/IEC 14496-10 §7.4.1.2.3. */

import { naluEnd } from '../../codec/h264/annex-b.ts';
import {
  isReference,
  isVcl,
  NAL_ACCESS_UNIT_DELIMITER,
  NAL_IDR_SLICE,
  NAL_PARTITION_A,
  NAL_PPS,
  NAL_PREFIX,
  NAL_RESERVED_18,
  NAL_SEI,
  NAL_SLICE,
  NAL_SPS,
  nalType,
} from '../../codec/h264/nal-unit.ts';
import { recoveryFrameCount } from '../../codec/h264/recovery-point.ts';
import { isFirstSlice, slicePpsId } from '../../codec/h264/slice-header.ts';
import {
  NALU_BEGINS_UNIT,
  NALU_FIRST_SLICE,
  NALU_KEPT,
  NALU_KEY,
  NALU_PARAMETER_SET,
  NALU_PARTITION,
  NALU_REFERENCE,
  NALU_SLICE,
  type NaluSyntax,
} from '../access-unit-assembler.ts';

export const H264_SYNTAX: NaluSyntax = {
  headerBytes: 1,
  traitsOf(header, firstPayloadByte) {
    const type = nalType(header);
    if (isVcl(type)) return sliceTraits(type, header, firstPayloadByte);
    if (type === NAL_SEI) return NALU_BEGINS_UNIT | NALU_KEPT;
    if (type === NAL_SPS || type === NAL_PPS) return NALU_BEGINS_UNIT | NALU_PARAMETER_SET;
    // A prefix comes before each slice of the base layer, and the slice says whether it begins a picture.
    const isBeforePicture =
      type === NAL_ACCESS_UNIT_DELIMITER || (type > NAL_PREFIX && type <= NAL_RESERVED_18);
    return isBeforePicture ? NALU_BEGINS_UNIT : 0;
  },
  endOf: naluEnd,
  recoveryFramesOf: recoveryFrameCount,
  ppsIdOf: slicePpsId,
};

/** Partitions B and C begin with a slice id instead of a slice header. */
function sliceTraits(type: number, header: number, firstPayloadByte: number): number {
  const hasHeader = type === NAL_SLICE || type === NAL_PARTITION_A || type === NAL_IDR_SLICE;
  let traits = NALU_SLICE;
  if (hasHeader && isFirstSlice(firstPayloadByte)) traits |= NALU_FIRST_SLICE;
  if (type === NAL_IDR_SLICE) traits |= NALU_KEY;
  if (isReference(header)) traits |= NALU_REFERENCE;
  if (type >= NAL_PARTITION_A && type < NAL_IDR_SLICE) traits |= NALU_PARTITION;
  return traits;
}
