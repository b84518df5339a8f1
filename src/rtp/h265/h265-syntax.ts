/** The traits of H.265's NAL units for the access unit assembler. ISO/IEC 23008-2 §7.4.2.2, §7.4.2.4.4. */

import { beginsAccessUnit, isFirstSegment, naluEnd } from '../../codec/h265/annex-b.ts';
import {
  isIrap,
  isSubLayerNonReference,
  isVcl,
  NAL_END_OF_SEQUENCE,
  NAL_PPS,
  NAL_PREFIX_SEI,
  NAL_SUFFIX_SEI,
  NAL_VPS,
  nalLayer,
  nalType,
  temporalId,
} from '../../codec/h265/nal-unit.ts';
import { readSliceSegmentHead } from '../../codec/h265/slice-segment-header.ts';
import {
  NALU_BEGINS_UNIT,
  NALU_ENDS_SEQUENCE,
  NALU_FIRST_SLICE,
  NALU_KEPT,
  NALU_KEY,
  NALU_PARAMETER_SET,
  NALU_REFERENCE,
  NALU_SLICE,
  type NaluSyntax,
} from '../access-unit-assembler.ts';

export class H265Syntax implements NaluSyntax {
  readonly headerBytes = 2;
  /** Read from the SPS: pictures of this sub-layer that are not references of their sub-layer are none at all. */
  highestTemporalId = 0;

  /** Other layers than the base layer are left out, and so is what has no valid header. */
  traitsOf(header: number, firstPayloadByte: number): number {
    if (nalLayer(header) !== 0 || temporalId(header) < 0) return 0;
    const type = nalType(header);
    if (isVcl(type)) return this.#sliceTraits(type, header, firstPayloadByte);
    if (type >= NAL_VPS && type <= NAL_PPS) return NALU_BEGINS_UNIT | NALU_PARAMETER_SET;
    if (type === NAL_PREFIX_SEI) return NALU_BEGINS_UNIT | NALU_KEPT;
    if (type === NAL_SUFFIX_SEI) return NALU_KEPT;
    if (type === NAL_END_OF_SEQUENCE) return NALU_ENDS_SEQUENCE | NALU_KEPT;
    return beginsAccessUnit(type) ? NALU_BEGINS_UNIT : 0;
  }

  endOf(bytes: Buffer, start: number): number {
    return naluEnd(bytes, start);
  }

  /** IRAP pictures are the only ones that players begin at. */
  recoveryFramesOf(): null {
    return null;
  }

  ppsIdOf(slice: Uint8Array): number | null {
    return readSliceSegmentHead(slice)?.ppsId ?? null;
  }

  /** A picture that is not a reference of its sub-layer may be one for higher sub-layers. */
  #sliceTraits(type: number, header: number, firstPayloadByte: number): number {
    let traits = NALU_SLICE;
    if (isFirstSegment(firstPayloadByte)) traits |= NALU_FIRST_SLICE;
    if (isIrap(type)) traits |= NALU_KEY;
    if (!isSubLayerNonReference(type) || temporalId(header) < this.highestTemporalId)
      traits |= NALU_REFERENCE;
    return traits;
  }
}
