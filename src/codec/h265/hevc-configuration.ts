/** HEVCDecoderConfigurationRecord, what FLV and MP4 call hvcC. ISO/IEC 14496-15 §8.3.3.1. */

import { HEADER_BYTES, NAL_PPS, NAL_SPS, NAL_VPS, nalHeader, nalType } from './nal-unit.ts';
import type { ProfileTierLevel } from './profile-tier-level.ts';

export interface HevcConfiguration {
  /** Copies. Parameter sets may be in band instead. */
  readonly vps: readonly Uint8Array[];
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
  /** Size of the lengths before NAL units: 1, 2 or 4. */
  readonly lengthBytes: number;
  /** The general profile, tier and level of the stream. */
  readonly profile: ProfileTierLevel;
}

/** Up to numOfArrays. */
const FIXED_BYTES = 23;
/** Muxers wrote 0 before the standard was final; the record is the same. */
const MAX_VERSION = 1;
const CONSTRAINTS_AT = 6;
const LEVEL_AT = 12;
const LENGTH_SIZE_AT = 21;
const ARRAYS_AT = 22;
const TYPE_MASK = 0x3f;

/** null: truncated, of another version, or with parameter sets that are something else. Other arrays are skipped. */
export function parseHevcConfiguration(record: Uint8Array): HevcConfiguration | null {
  if (record.length < FIXED_BYTES || record[0]! > MAX_VERSION) return null;
  const lengthBytes = (record[LENGTH_SIZE_AT]! & 3) + 1;
  if (lengthBytes === 3) return null;
  const vps: Uint8Array[] = [];
  const sps: Uint8Array[] = [];
  const pps: Uint8Array[] = [];
  let at = FIXED_BYTES;
  for (let arrays = record[ARRAYS_AT]!; arrays > 0; arrays--) {
    if (at + 3 > record.length) return null;
    const type = record[at]! & TYPE_MASK;
    const sets = type === NAL_VPS ? vps : type === NAL_SPS ? sps : type === NAL_PPS ? pps : null;
    at = readArray(record, at, type, sets);
    if (at < 0) return null;
  }
  return { vps, sps, pps, lengthBytes, profile: profileOf(record) };
}

/** Returns where the array ends; -1 if it does not fit. `sets`: null to skip it. */
function readArray(record: Uint8Array, from: number, type: number, sets: Uint8Array[] | null): number {
  let at = from + 3;
  for (let count = (record[from + 1]! << 8) | record[from + 2]!; count > 0; count--) {
    if (at + 2 > record.length) return -1;
    const start = at + 2;
    at = start + ((record[start - 2]! << 8) | record[start - 1]!);
    if (at > record.length) return -1;
    if (sets === null) continue;
    if (at - start < HEADER_BYTES || nalType(nalHeader(record, start)) !== type) return -1;
    sets.push(new Uint8Array(record.subarray(start, at)));
  }
  return at;
}

function profileOf(record: Uint8Array): ProfileTierLevel {
  const first = record[1]!;
  return {
    profileSpace: first >> 6,
    tierFlag: (first & 0x20) === 0 ? 0 : 1,
    profileIdc: first & 0x1f,
    compatibilityFlags: ((record[2]! << 24) | (record[3]! << 16) | (record[4]! << 8) | record[5]!) >>> 0,
    constraintBytes: new Uint8Array(record.subarray(CONSTRAINTS_AT, LEVEL_AT)),
    levelIdc: record[LEVEL_AT]!,
  };
}
