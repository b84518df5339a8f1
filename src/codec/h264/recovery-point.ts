/** Recovery point SEI messages. ISO/IEC 14496-10 §7.3.2.3.1, §D.1.8, §D.2.8. */

import { BitReader } from '../../bytes/bit-reader.ts';
import { rbspOf } from './nal-unit.ts';

const RECOVERY_POINT = 6;
const CONTINUED = 0xff;
/** A recovery point takes four bytes; encoders write it before messages of any length. */
const MAX_READ_BYTES = 256;
/** MaxFrameNum - 1 at most. */
const MAX_RECOVERY_FRAMES = 0xffff;

/**
 * recovery_frame_cnt: how many frames after this picture a decoder that begins here shows correct ones; 0: from this
 * picture on. null if the SEI NAL unit has no such message within its first bytes.
 */
export function recoveryFrameCount(sei: Uint8Array): number | null {
  const rbsp = rbspOf(sei, MAX_READ_BYTES);
  let at = 0;
  // The last byte is rbsp_trailing_bits.
  while (at + 2 < rbsp.length) {
    let type = 0;
    let size = 0;
    for (; rbsp[at] === CONTINUED; at++) type += CONTINUED;
    type += rbsp[at++] ?? 0;
    for (; rbsp[at] === CONTINUED; at++) size += CONTINUED;
    size += rbsp[at++] ?? 0;
    if (type === RECOVERY_POINT) {
      const reader = new BitReader(rbsp.subarray(at, at + size));
      const frames = reader.expGolomb();
      return reader.isOverrun || frames > MAX_RECOVERY_FRAMES ? null : frames;
    }
    at += size;
  }
  return null;
}
