/** Signed numbers of FLV. Adobe Flash Video File Format Specification 10.1, annex E.1. */

/** SI24, big-endian. */
export function readSigned24(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8)) >> 8;
}
