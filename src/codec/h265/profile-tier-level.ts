/** profile_tier_level() of H.265. ISO/IEC 23008-2 §7.3.3. */

import type { BitReader } from '../../bytes/bit-reader.ts';

export interface ProfileTierLevel {
  /** general_profile_space, 0 to 3 */
  readonly profileSpace: number;
  /** general_tier_flag: 1 is the High tier. */
  readonly tierFlag: 0 | 1;
  readonly profileIdc: number;
  /** general_profile_compatibility_flag[0] is the top one of 32 bits. */
  readonly compatibilityFlags: number;
  /** The six bytes from general_progressive_source_flag on. */
  readonly constraintBytes: Uint8Array;
  /** general_level_idc: 30 times the level. */
  readonly levelIdc: number;
}

const CONSTRAINT_BYTES = 6;
const MAX_SUB_LAYERS = 8;
const SUB_LAYER_PROFILE_BITS = 88;
const SUB_LAYER_LEVEL_BITS = 8;
const COMPATIBILITY_BITS = 32;
/** ISO/IEC 14496-15 §E.3: profile spaces 1 to 3 are letters, 0 is nothing. */
const PROFILE_SPACES = ['', 'A', 'B', 'C'];

/** `subLayers`: sps_max_sub_layers_minus1 + 1. What describes the lower sub-layers is skipped. */
export function readProfileTierLevel(reader: BitReader, subLayers: number): ProfileTierLevel {
  const profileSpace = reader.bits(2);
  const tierFlag = reader.bit();
  const profileIdc = reader.bits(5);
  const compatibilityFlags = reader.bits(32);
  const constraintBytes = new Uint8Array(CONSTRAINT_BYTES);
  for (let at = 0; at < CONSTRAINT_BYTES; at++) constraintBytes[at] = reader.bits(8);
  const levelIdc = reader.bits(8);
  skipSubLayers(reader, subLayers);
  return { profileSpace, tierFlag, profileIdc, compatibilityFlags, constraintBytes, levelIdc };
}

function skipSubLayers(reader: BitReader, subLayers: number): void {
  const lower = subLayers - 1;
  if (lower === 0) return;
  let bits = 0;
  for (let layer = 0; layer < lower; layer++) {
    if (reader.flag()) bits += SUB_LAYER_PROFILE_BITS;
    if (reader.flag()) bits += SUB_LAYER_LEVEL_BITS;
  }
  reader.skip(2 * (MAX_SUB_LAYERS - lower)); // reserved_zero_2bits
  reader.skip(bits);
}

/**
 * ISO/IEC 14496-15 §E.3: profile, compatibility flags in reverse order in hexadecimal, tier and level, and the constraint
 * bytes without trailing zero bytes. For example `hvc1.1.6.L93.B0`.
 */
export function h265CodecString(profile: ProfileTierLevel): string {
  const space = PROFILE_SPACES[profile.profileSpace] ?? '';
  const compatibility = reversedBits(profile.compatibilityFlags).toString(16).toUpperCase();
  const tier = profile.tierFlag === 1 ? 'H' : 'L';
  let text = `hvc1.${space}${profile.profileIdc}.${compatibility}.${tier}${profile.levelIdc}`;
  let count = CONSTRAINT_BYTES;
  while (count > 0 && profile.constraintBytes[count - 1] === 0) count -= 1;
  for (let at = 0; at < count; at++) text += `.${profile.constraintBytes[at]!.toString(16).toUpperCase()}`;
  return text;
}

function reversedBits(flags: number): number {
  let reversed = 0;
  for (let bit = 0; bit < COMPATIBILITY_BITS; bit++) reversed = reversed * 2 + ((flags >>> bit) & 1);
  return reversed;
}
