/** The first fields of a slice header. ISO/IEC 14496-10 §7.3.3. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { rbspOf } from './nal-unit.ts';

/** first_mb_in_slice, slice_type and pic_parameter_set_id take at most 3 codes of some 20 bits. */
const HEAD_BYTES = 16;

/**
 * Whether a slice begins its picture: first_mb_in_slice is 0, which is the single bit 1. `firstPayloadByte` is the byte
 * after the NAL header. Slices in arbitrary order (Baseline's ASO) may begin a picture without it.
 */
export function isFirstSlice(firstPayloadByte: number): boolean {
  return (firstPayloadByte & 0x80) !== 0;
}

/**
 * Whether the first slice of a picture is a B slice: slice_type 1 or 6 (`010`, `00111`) after a first_mb_in_slice of 0
 * (`1`). `firstPayloadByte` is the byte after the NAL header.
 */
export function isFirstBSlice(firstPayloadByte: number): boolean {
  return (firstPayloadByte & 0xf0) === 0xa0 || (firstPayloadByte & 0xfc) === 0x9c;
}

/** The same for an I slice: slice_type 2 or 7 (`011`, `0001000`). */
export function isFirstISlice(firstPayloadByte: number): boolean {
  return (firstPayloadByte & 0xf0) === 0xb0 || firstPayloadByte === 0x88;
}

/** Id of the PPS that a slice uses; null when the NAL unit is too short. */
export function slicePpsId(nalu: Uint8Array): number | null {
  const reader = new BitReader(rbspOf(nalu, HEAD_BYTES));
  reader.expGolomb(); // first_mb_in_slice
  reader.expGolomb(); // slice_type
  const ppsId = reader.expGolomb();
  return reader.isOverrun ? null : ppsId;
}
