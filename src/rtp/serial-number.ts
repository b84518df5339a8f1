/** Arithmetic on numbers that wrap (RFC 1982; RFC 3550 A.1): the shorter distance counts. */

/** How far `to` is ahead of `from`, both of 16 bits: -32768 to 32767. */
export function distance16(from: number, to: number): number {
  return ((to - from) << 16) >> 16;
}

/** How far `to` is ahead of `from`, both of 32 bits: -2^31 to 2^31 - 1. */
export function distance32(from: number, to: number): number {
  return (to - from) | 0;
}
