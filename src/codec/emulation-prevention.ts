/**
 * Emulation prevention: inside a NAL unit `00 00` is followed by `03` before any byte up to 3, so that no start code
 * appears in it. ISO/IEC 14496-10 §7.4.1, ISO/IEC 23008-2 §7.4.2.
 */

/**
 * `nalu` from `from` on without emulation prevention bytes. A copy of at most `maxBytes`; callers read headers from it,
 * never slice data.
 */
export function withoutEmulationPrevention(nalu: Uint8Array, from: number, maxBytes: number): Uint8Array {
  const rbsp = new Uint8Array(Math.min(Math.max(nalu.length - from, 0), maxBytes));
  let length = 0;
  let zeros = 0;
  for (let at = from; at < nalu.length && length < rbsp.length; at++) {
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

/** The inverse: adds emulation prevention bytes to a NAL unit. The header is part of input and output. */
export function withEmulationPrevention(plain: Uint8Array): Uint8Array {
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
