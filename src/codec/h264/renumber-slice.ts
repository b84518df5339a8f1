/** Gives a slice different numbers. frame_num and pic_order_cnt_lsb have fixed widths, so nothing after them moves. */

import { withEmulationPrevention } from '../emulation-prevention.ts';
import { rbspOf } from './nal-unit.ts';
import type { PictureCoding } from './picture-coding.ts';
import type { SliceNumbers } from './slice-numbers.ts';

/**
 * The bytes that replace the first `replaced` bytes of `nalu`. They end with a nonzero byte, so that the emulation
 * prevention of the following bytes stays correct. null without such a byte nearby.
 */
export function renumberedHead(
  nalu: Uint8Array,
  numbers: SliceNumbers,
  coding: PictureCoding,
  frameNum: number,
  pictureOrder: number,
): { readonly head: Uint8Array; readonly replaced: number } | null {
  const lastBit = numbers.pictureOrderAtBit + coding.pictureOrderBits;
  const changedBytes = 1 + (Math.max(lastBit, numbers.frameNumAtBit + coding.frameNumBits) >> 3) + 1;
  const replaced = plainPrefix(nalu, changedBytes);
  if (replaced < 0) return null;
  const plain = new Uint8Array(replaced);
  plain[0] = nalu[0]!;
  const rbsp = rbspOf(nalu.subarray(0, replaced), replaced);
  plain.set(rbsp, 1);
  const view = plain.subarray(0, 1 + rbsp.length);
  putBits(view, 8 + numbers.frameNumAtBit, coding.frameNumBits, frameNum);
  putBits(view, 8 + numbers.pictureOrderAtBit, coding.pictureOrderBits, pictureOrder);
  return { head: withEmulationPrevention(view), replaced };
}

/** The smallest number of bytes that holds `plainBytes` without emulation prevention and ends with a nonzero byte. */
function plainPrefix(nalu: Uint8Array, plainBytes: number): number {
  let zeros = 0;
  let plain = 0;
  for (let at = 0; at < nalu.length; at++) {
    const byte = nalu[at]!;
    const isPrevention = zeros >= 2 && byte === 3;
    if (!isPrevention) plain += 1;
    zeros = byte === 0 ? zeros + 1 : 0;
    // After a prevention byte, the next byte is 0 to 3.
    if (plain > plainBytes && byte !== 0 && !isPrevention) return at + 1;
  }
  return -1;
}

function putBits(bytes: Uint8Array, atBit: number, count: number, value: number): void {
  for (let bit = 0; bit < count; bit++) {
    const at = atBit + bit;
    const mask = 0x80 >> (at & 7);
    const isSet = ((value >>> (count - 1 - bit)) & 1) === 1;
    bytes[at >> 3] = isSet ? bytes[at >> 3]! | mask : bytes[at >> 3]! & ~mask;
  }
}
