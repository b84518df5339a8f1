/**
 * The part of a picture that two connections to a camera have in common: its slices. Some cameras put the sending time into an
 * SEI message, begin access units with a delimiter for some clients, repeat parameter sets, or fill up to a constant rate,
 * differently for each connection.
 */

import { createHash, type Hash } from 'node:crypto';
import { nalType as h264Type, isVcl as isH264Slice } from '../../codec/h264/nal-unit.ts';
import { nalType as h265Type, isVcl as isH265Slice, nalHeader } from '../../codec/h265/nal-unit.ts';
import type { Track } from '../../codec/track.ts';

const LENGTH_BYTES = 4;
const DIGEST_CHARS = 22;

/** Digest of an access unit's `data`, which is borrowed. It covers all bytes if there are no slices, and for audio. */
export function pictureDigest(data: Uint8Array, codec: Track['codec']): string {
  const hash = createHash('sha256');
  const isSlice = codec === 'h264' ? isH264 : codec === 'h265' ? isH265 : null;
  if (isSlice === null || !addSlices(hash, data, isSlice)) hash.update(data);
  return hash.digest('base64url').slice(0, DIGEST_CHARS);
}

function isH264(data: Uint8Array, at: number): boolean {
  return isH264Slice(h264Type(data[at]!));
}

function isH265(data: Uint8Array, at: number): boolean {
  return isH265Slice(h265Type(nalHeader(data, at)));
}

/** Whether there is one. */
function addSlices(
  hash: Hash,
  data: Uint8Array,
  isSlice: (data: Uint8Array, at: number) => boolean,
): boolean {
  let hasSlice = false;
  for (let at = 0; at + LENGTH_BYTES < data.length; ) {
    const start = at + LENGTH_BYTES;
    const length = new DataView(data.buffer, data.byteOffset + at, LENGTH_BYTES).getUint32(0);
    const end = Math.min(data.length, start + length);
    if (end > start && isSlice(data, start)) {
      hasSlice = true;
      hash.update(data.subarray(start, withoutFilling(data, start, end)));
    }
    at = start + length;
  }
  return hasSlice;
}

/** Zeros and words of `00 00 03` behind a slice (cabac_zero_words, ISO/IEC 14496-10 §7.3.2.10) say nothing. */
function withoutFilling(data: Uint8Array, start: number, end: number): number {
  let last = end;
  while (last > start) {
    if (data[last - 1] === 0) last -= 1;
    else if (last - start > 2 && data[last - 1] === 3 && data[last - 2] === 0 && data[last - 3] === 0)
      last -= 3;
    else break;
  }
  return last;
}
