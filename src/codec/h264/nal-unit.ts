/**
 * NAL units of H.264. ISO/IEC 14496-10 §7.3.1, table 7-1. A NAL unit begins with its header byte, without a start code.
 */

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
/** Prefix NAL unit of scalable streams. 14 to 18 begin a new access unit, as SEI does (§7.4.1.2.3). */
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

/**
 * The payload after the NAL header without emulation prevention bytes: `00 00 03` becomes `00 00` (§7.4.1). A copy of
 * at most `maxBytes`; callers read headers from it, never slice data.
 */
export function rbspOf(nalu: Uint8Array, maxBytes: number): Uint8Array {
  const rbsp = new Uint8Array(Math.min(Math.max(nalu.length - 1, 0), maxBytes));
  let length = 0;
  let zeros = 0;
  for (let at = 1; at < nalu.length && length < rbsp.length; at++) {
    const byte = nalu[at]!;
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    rbsp[length++] = byte;
  }
  return rbsp.subarray(0, length);
}

/** The inverse: adds emulation prevention bytes to a NAL unit (§7.4.1). The header byte is part of input and output. */
export function escapeRbsp(plain: Uint8Array): Uint8Array {
  const escaped: number[] = [];
  let zeros = 0;
  for (const byte of plain) {
    if (zeros >= 2 && byte <= 3) {
      escaped.push(3);
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    escaped.push(byte);
  }
  return Uint8Array.from(escaped);
}
