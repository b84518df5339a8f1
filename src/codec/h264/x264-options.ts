/**
 * x264's statement about itself in an SEI message of its first picture: user_data_unregistered with x264's UUID and its
 * options as text. ISO/IEC 14496-10 §D.2.6.
 */

import { isVcl, NAL_SEI, nalType } from './nal-unit.ts';

const LENGTH_BYTES = 4;
const X264_UUID = Buffer.from('dc45e9bde6d948b7962cd820d923eeef', 'hex');
/** The text has no byte that emulation prevention changes. */
const INTRA_REFRESH = ' intra_refresh=1';

/**
 * Whether the encoder refreshes its pictures gradually: it writes no further key frame by itself. `picture`: NAL units after 4-byte
 * lengths.
 */
export function statesIntraRefresh(picture: Uint8Array): boolean {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  for (let at = 0; at + LENGTH_BYTES < bytes.length; ) {
    const start = at + LENGTH_BYTES;
    const end = start + bytes.readUInt32BE(at);
    const type = nalType(bytes[start]!);
    if (isVcl(type)) return false;
    const nalu = bytes.subarray(start, end);
    if (type === NAL_SEI && nalu.includes(X264_UUID) && nalu.includes(INTRA_REFRESH)) return true;
    at = end;
  }
  return false;
}
