/** H.264 as a byte stream: NAL units between start codes, as files and ffmpeg's pipes have it. ISO/IEC 14496-10 Annex B. */

import { isVcl, NAL_ACCESS_UNIT_DELIMITER, NAL_IDR_SLICE, NAL_SEI, nalType } from './nal-unit.ts';
import { isFirstSlice } from './slice-header.ts';

const START_CODE = Uint8Array.of(0, 0, 1);

/** NAL units of a whole stream in order, views into `stream`. Zeros around start codes belong to nothing. */
export function splitAnnexB(stream: Uint8Array): Uint8Array[] {
  const nalus: Uint8Array[] = [];
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.length);
  let codeAt = bytes.indexOf(START_CODE);
  while (codeAt >= 0) {
    const start = codeAt + START_CODE.length;
    codeAt = bytes.indexOf(START_CODE, start);
    let end = codeAt < 0 ? bytes.length : codeAt;
    while (end > start && stream[end - 1] === 0) end -= 1;
    if (end > start) nalus.push(stream.subarray(start, end));
  }
  return nalus;
}

/** One picture with what stands in front of it. */
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
