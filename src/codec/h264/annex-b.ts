/** H.264's own rules in a byte stream: where a NAL unit and a picture end. ISO/IEC 14496-10 Annex B, §7.4.1. */

import { type AnnexBAccessUnit, naluEndFrom } from '../byte-stream.ts';
import { isVcl, NAL_ACCESS_UNIT_DELIMITER, NAL_IDR_SLICE, NAL_SEI, nalType } from './nal-unit.ts';
import { isFirstSlice } from './slice-header.ts';

/** End of the NAL unit that begins at `start`: the next start code or the end of `bytes`. See naluEndFrom. */
export function naluEnd(bytes: Buffer, start: number): number {
  const isSei = start < bytes.length && nalType(bytes[start]!) === NAL_SEI;
  return naluEndFrom(bytes, isSei ? start + 1 : start, isSei);
}

/**
 * Joins the NAL units of progressive pictures into access units (§7.4.1.2.3). NAL units after the last slice of the stream
 * are left out.
 */
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
