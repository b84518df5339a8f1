/** Access units of H.265 made of NAL units after 4-byte lengths. ISO/IEC 14496-15 §4.3.2. */

import { isRasl, isVcl, nalHeader, nalType } from './nal-unit.ts';

const LENGTH_BYTES = 4;
const NO_SLICE = -1;

/** nal_unit_type of the first slice; -1 without one. */
export function firstSliceType(data: Uint8Array): number {
  for (let at = 0; at + LENGTH_BYTES < data.length; ) {
    const start = at + LENGTH_BYTES;
    const type = nalType(nalHeader(data, start));
    if (isVcl(type)) return type;
    const length = ((data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!) >>> 0;
    at = start + length;
  }
  return NO_SLICE;
}

/** A leading picture that a decoder that begins with its IRAP picture leaves out (§8.1.3). */
export function isRaslPicture(data: Uint8Array): boolean {
  return isRasl(firstSliceType(data));
}
