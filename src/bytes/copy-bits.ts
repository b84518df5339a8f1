/** Copies bits that begin anywhere in a byte. */

/**
 * Copies `bitCount` bits of `source` from bit `fromBit` on to the beginning of `target`; bits after them in the last byte
 * are 0. They must exist, and fit. Hot: once per audio frame.
 */
export function copyBits(source: Uint8Array, fromBit: number, bitCount: number, target: Uint8Array): void {
  const shift = fromBit & 7;
  const byteCount = (bitCount + 7) >> 3;
  let at = fromBit >> 3;
  for (let index = 0; index < byteCount; index++, at++) {
    const next = shift === 0 || at + 1 >= source.length ? 0 : source[at + 1]!;
    target[index] = (source[at]! << shift) | (next >> (8 - shift));
  }
  const unused = byteCount * 8 - bitCount;
  if (unused > 0) target[byteCount - 1] = target[byteCount - 1]! & (0xff << unused);
}
