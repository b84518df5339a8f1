/** Picture parameter sets, as far as their ids. ISO/IEC 14496-10 §7.3.2.2. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { NAL_PPS, nalType, rbspOf } from './nal-unit.ts';
import { MAX_SPS_ID } from './sequence-parameter-set.ts';

export interface PictureParameterSet {
  readonly id: number;
  readonly spsId: number;
}

/** A PPS with all its scaling lists stays below this. */
export const MAX_PPS_BYTES = 1024;
const MAX_PPS_ID = 255;
const HEAD_BYTES = 8;

/** null when `nalu` is no PPS or its ids are out of range. */
export function parsePictureParameterSet(nalu: Uint8Array): PictureParameterSet | null {
  if (nalu.length < 2 || nalu.length > MAX_PPS_BYTES || nalType(nalu[0]!) !== NAL_PPS) return null;
  const reader = new BitReader(rbspOf(nalu, HEAD_BYTES));
  const id = reader.expGolomb();
  const spsId = reader.expGolomb();
  return reader.isOverrun || id > MAX_PPS_ID || spsId > MAX_SPS_ID ? null : { id, spsId };
}
