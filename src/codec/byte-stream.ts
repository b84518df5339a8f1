/**
 * NAL units as a byte stream, separated by start codes, as in files and in ffmpeg's pipes. ISO/IEC 14496-10 Annex B and
 * ISO/IEC 23008-2 Annex B, which are the same.
 */

export const START_CODE = Uint8Array.of(0, 0, 1);

/** With zero_byte, as parameter sets and the first NAL unit of an access unit must have it (§B.1.2, §B.2.2). */
export const LONG_START_CODE = Uint8Array.of(0, 0, 0, 1);

/**
 * Puts start codes in place of the 4-byte lengths before NAL units; both have the same size. `bytes` begins with a
 * length at `from`. A length that points beyond the end is the last one.
 */
export function lengthsToStartCodes(bytes: Buffer, from: number): void {
  let at = from;
  while (at + LONG_START_CODE.length <= bytes.length) {
    const nextAt = at + LONG_START_CODE.length + bytes.readUInt32BE(at);
    bytes.writeUInt32BE(1, at);
    at = nextAt;
  }
}

/** NAL units of a whole stream in order, as views into `stream`. Zeros around start codes are dropped. */
export function splitAnnexB(stream: Uint8Array): Uint8Array[] {
  const nalus: Uint8Array[] = [];
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.length);
  let codeAt = bytes.indexOf(START_CODE);
  while (codeAt >= 0) {
    const start = codeAt + START_CODE.length;
    codeAt = bytes.indexOf(START_CODE, start);
    const end = withoutTrailingZeros(stream, start, codeAt < 0 ? bytes.length : codeAt);
    if (end > start) nalus.push(stream.subarray(start, end));
  }
  return nalus;
}

/**
 * End of a NAL unit: the next start code at `from` or after it, or the end of `bytes`. Emulation prevention keeps start
 * codes out of NAL units, with one exception: an SEI message is opaque, and ONVIF Media Signing allows any bytes in its
 * payload. So an SEI whose messages begin at `from` (`isSei`) ends no earlier than at a start code after its first
 * message (ISO/IEC 14496-10 §7.3.2.3.1, ISO/IEC 23008-2 §7.3.5).
 */
export function naluEndFrom(bytes: Buffer, from: number, isSei: boolean): number {
  const codeAt = bytes.indexOf(START_CODE, isSei ? firstMessageEnd(bytes, from) : from);
  return codeAt < 0 ? bytes.length : codeAt;
}

/** payloadType and payloadSize are sums of bytes; only the last byte is not 255. */
function firstMessageEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0xff) at += 1;
  at += 1;
  let payloadBytes = 0;
  while (bytes[at] === 0xff) {
    payloadBytes += 0xff;
    at += 1;
  }
  payloadBytes += bytes[at] ?? 0;
  return Math.min(at + 1 + payloadBytes, bytes.length);
}

/** `end` without the zeros before it: no NAL unit ends in a zero (ISO/IEC 14496-10 §7.4.1, ISO/IEC 23008-2 §7.4.2). */
export function withoutTrailingZeros(bytes: Uint8Array, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && bytes[trimmed - 1] === 0) trimmed -= 1;
  return trimmed;
}

/** One picture with the NAL units that precede it. */
export interface AnnexBAccessUnit {
  readonly nalus: readonly Uint8Array[];
  readonly isKey: boolean;
}
