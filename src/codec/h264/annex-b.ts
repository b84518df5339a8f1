/**
 * H.264 as a byte stream: NAL units separated by start codes, as in files and in ffmpeg's pipes. ISO/IEC 14496-10 Annex
 * B.
 */

import { isVcl, NAL_ACCESS_UNIT_DELIMITER, NAL_IDR_SLICE, NAL_SEI, nalType } from './nal-unit.ts';
import { isFirstSlice } from './slice-header.ts';

export const START_CODE = Uint8Array.of(0, 0, 1);

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
 * End of the NAL unit that begins at `start`: the next start code or the end of `bytes`. Emulation prevention keeps
 * start codes out of NAL units (§7.4.1), with one exception: an SEI message is opaque, and ONVIF Media Signing allows
 * any bytes in its payload. So an SEI ends no earlier than at a start code after its first message (§7.3.2.3.1).
 */
export function naluEnd(bytes: Buffer, start: number): number {
  const isSei = start < bytes.length && nalType(bytes[start]!) === NAL_SEI;
  const codeAt = bytes.indexOf(START_CODE, isSei ? firstMessageEnd(bytes, start + 1) : start);
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

/** `end` without the zeros before it: no NAL unit ends in a zero (§7.4.1). */
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

/** Joins the NAL units of progressive pictures into access units (§7.4.1.2.3). What follows the last slice of the stream is left out. */
export function joinAccessUnits(nalus: readonly Uint8Array[]): AnnexBAccessUnit[] {
  const units: AnnexBAccessUnit[] = [];
  let current: Uint8Array[] = [];
  let hasVcl = false;
  for (const nalu of nalus) {
    const type = nalType(nalu[0]!);
    const isBeforePicture = type >= NAL_SEI && type <= NAL_ACCESS_UNIT_DELIMITER;
    const beginsPicture = isVcl(type) ? isFirstSlice(nalu[1] ?? 0) : isBeforePicture;
    if (hasVcl && beginsPicture) {
      units.push(accessUnit(current));
      current = [];
      hasVcl = false;
    }
    current.push(nalu);
    if (isVcl(type)) hasVcl = true;
  }
  if (hasVcl) units.push(accessUnit(current));
  return units;
}

function accessUnit(nalus: readonly Uint8Array[]): AnnexBAccessUnit {
  return { nalus, isKey: nalus.some((nalu) => nalType(nalu[0]!) === NAL_IDR_SLICE) };
}
