/**
 * NAL units of H.264. ISO/IEC 14496-10 §7.3.1, table 7-1. A NAL unit begins with its header byte, without a start code.
 */

import { withoutEmulationPrevention } from '../emulation-prevention.ts';

export const NAL_SLICE = 1;
/** Slice data partitions A to C are 2 to 4; only A has a slice header. */
export const NAL_PARTITION_A = 2;
export const NAL_IDR_SLICE = 5;
export const NAL_SEI = 6;
export const NAL_SPS = 7;
export const NAL_PPS = 8;
export const NAL_ACCESS_UNIT_DELIMITER = 9;
export const NAL_END_OF_SEQUENCE = 10;
export const NAL_END_OF_STREAM = 11;
export const NAL_FILLER = 12;
/**
 * Prefix NAL unit of scalable streams, before each slice of the base layer (§7.4.2.12.1). After the last slice of a
 * picture, 14 to 18 begin a new access unit, as SEI does (§7.4.1.2.3).
 */
export const NAL_PREFIX = 14;
export const NAL_RESERVED_18 = 18;

/** nal_unit_type from a header byte. */
export function nalType(header: number): number {
  return header & 0x1f;
}

/** Whether later pictures may depend on this NAL unit: nal_ref_idc is not 0. */
export function isReference(header: number): boolean {
  return (header & 0x60) !== 0;
}

/** Slices of the primary coded picture: types 1 to 5. */
export function isVcl(type: number): boolean {
  return type >= NAL_SLICE && type <= NAL_IDR_SLICE;
}

/** The payload after the NAL header without emulation prevention bytes; a copy of at most `maxBytes`. */
export function rbspOf(nalu: Uint8Array, maxBytes: number): Uint8Array {
  return withoutEmulationPrevention(nalu, 1, maxBytes);
}
