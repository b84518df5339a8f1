/** H.265's own rules in a byte stream: where a NAL unit and a picture end. ISO/IEC 23008-2 Annex B, §7.4.2.4.4. */

import { type AnnexBAccessUnit, naluEndFrom } from '../byte-stream.ts';
import {
  HEADER_BYTES,
  isIrap,
  isVcl,
  NAL_ACCESS_UNIT_DELIMITER,
  NAL_PREFIX_SEI,
  NAL_SUFFIX_SEI,
  NAL_VPS,
  nalHeader,
  nalType,
} from './nal-unit.ts';

const FIRST_SLICE_BIT = 0x80;
/** RSV_NVCL41 to 44 and UNSPEC48 to 55 begin an access unit, as parameter sets and prefix SEI do. */
const BEGINNING_RESERVED = [41, 44] as const;
const BEGINNING_UNSPECIFIED = [48, 55] as const;

/** End of the NAL unit that begins at `start`: the next start code or the end of `bytes`. See naluEndFrom. */
export function naluEnd(bytes: Buffer, start: number): number {
  const type = nalType(nalHeader(bytes, start));
  const isSei = type === NAL_PREFIX_SEI || type === NAL_SUFFIX_SEI;
  return naluEndFrom(bytes, isSei ? start + HEADER_BYTES : start, isSei);
}

/** first_slice_segment_in_pic_flag is the first bit after the NAL header. */
export function isFirstSegment(firstPayloadByte: number): boolean {
  return (firstPayloadByte & FIRST_SLICE_BIT) !== 0;
}

/** NAL units that are not slices, and not allowed after the slices of a picture (§7.4.2.4.4). */
export function beginsAccessUnit(type: number): boolean {
  return (
    (type >= NAL_VPS && type <= NAL_ACCESS_UNIT_DELIMITER) ||
    type === NAL_PREFIX_SEI ||
    (type >= BEGINNING_RESERVED[0] && type <= BEGINNING_RESERVED[1]) ||
    (type >= BEGINNING_UNSPECIFIED[0] && type <= BEGINNING_UNSPECIFIED[1])
  );
}

/** Joins the NAL units of one layer into access units. NAL units after the last picture are left out. */
export function joinAccessUnits(nalus: readonly Uint8Array[]): AnnexBAccessUnit[] {
  const units: AnnexBAccessUnit[] = [];
  let current: Uint8Array[] = [];
  let hasVcl = false;
  for (const nalu of nalus) {
    const type = nalType(nalHeader(nalu));
    const begins = isVcl(type) ? isFirstSegment(nalu[HEADER_BYTES] ?? 0) : beginsAccessUnit(type);
    if (hasVcl && begins) {
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
  return { nalus, isKey: nalus.some((nalu) => isIrap(nalType(nalHeader(nalu)))) };
}
