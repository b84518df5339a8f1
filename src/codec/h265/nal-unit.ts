/**
 * NAL units of H.265. ISO/IEC 23008-2 §7.3.1, table 7-1. A NAL unit begins with its header of two bytes, without a start
 * code. `header` is these two bytes as a number.
 */

import { withoutEmulationPrevention } from '../emulation-prevention.ts';

export const HEADER_BYTES = 2;

/** Trailing pictures of any kind, and leading pictures: 0 to 9. Up to 14, an even type is a sub-layer non-reference picture. */
export const NAL_TRAIL_R = 1;
/** Leading pictures that can be decoded from their IRAP picture on (RADL), and those that cannot (RASL). */
const NAL_RASL_N = 8;
export const NAL_RASL_R = 9;
/** Broken link access, instantaneous decoding refresh, clean random access: the intra random access point (IRAP) pictures. */
export const NAL_BLA_W_LP = 16;
export const NAL_IDR_W_RADL = 19;
export const NAL_IDR_N_LP = 20;
export const NAL_CRA = 21;
/** 22 and 23 are reserved for more IRAP pictures, and their slice headers are those of IRAP pictures. */
const NAL_RESERVED_IRAP_23 = 23;
export const NAL_VPS = 32;
export const NAL_SPS = 33;
export const NAL_PPS = 34;
export const NAL_ACCESS_UNIT_DELIMITER = 35;
export const NAL_END_OF_SEQUENCE = 36;
export const NAL_END_OF_BITSTREAM = 37;
export const NAL_PREFIX_SEI = 39;
export const NAL_SUFFIX_SEI = 40;

/** The header at `at`; 0, which no NAL unit has, if it is cut. */
export function nalHeader(bytes: Uint8Array, at = 0): number {
  return at + 1 < bytes.length ? (bytes[at]! << 8) | bytes[at + 1]! : 0;
}

/** nal_unit_type from a header. */
export function nalType(header: number): number {
  return (header >>> 9) & 0x3f;
}

/** nuh_layer_id: 0 is the picture for everyone; others refine it, or are another view of it (Annexes F to I). */
export function nalLayer(header: number): number {
  return (header >>> 3) & 0x3f;
}

/** nuh_temporal_id_plus1 - 1. -1 is forbidden: the two bytes are not a header. */
export function temporalId(header: number): number {
  return (header & 7) - 1;
}

/** Slices that decoders know. They ignore reserved types (§7.4.2.2). */
export function isVcl(type: number): boolean {
  return type <= NAL_RASL_R || (type >= NAL_BLA_W_LP && type <= NAL_CRA);
}

/** A picture at which decoding can begin. */
export function isIrap(type: number): boolean {
  return type >= NAL_BLA_W_LP && type <= NAL_RESERVED_IRAP_23;
}

/** IDR_W_RADL or IDR_N_LP: picture order and references restart. */
export function isIdr(type: number): boolean {
  return type === NAL_IDR_W_RADL || type === NAL_IDR_N_LP;
}

/** A leading picture that may refer to pictures before its IRAP picture. */
export function isRasl(type: number): boolean {
  return type === NAL_RASL_N || type === NAL_RASL_R;
}

/** No picture of the same or a lower sub-layer refers to it: the types ending in `_N`. */
export function isSubLayerNonReference(type: number): boolean {
  return type < NAL_BLA_W_LP && type % 2 === 0;
}

/** The payload after the NAL header without emulation prevention bytes (§7.4.2); a copy of at most `maxBytes`. */
export function rbspOf(nalu: Uint8Array, maxBytes: number): Uint8Array {
  return withoutEmulationPrevention(nalu, HEADER_BYTES, maxBytes);
}
