/** A FLAC frame of digital silence: one constant subframe per channel. RFC 9639 §9.2.3. */

import { crc8, crc16 } from './crc.ts';
import { FrameBits } from './frame-bits.ts';
import { readStreamInfo } from './stream-info.ts';

const SYNC = 0xfff8;
const BLOCK_SIZE_FOLLOWS = 7;
/** The rate and the size of samples are those of STREAMINFO. */
const AS_DECLARED = 0;
const MAX_FRAME_BYTES = 64;
const MAX_BITS_PER_PUT = 24;

/**
 * As long as the longest frame of the stream; null if the STREAMINFO cannot be read. Frame number 0: frames in an MP4
 * file is found by its tables, and decoders do not look at it.
 */
export function silentFlacFrame(streamInfo: Uint8Array): Uint8Array | null {
  const info = readStreamInfo(streamInfo);
  if (info === null) return null;
  const out = new FrameBits(MAX_FRAME_BYTES);
  out.put(SYNC, 16);
  out.put((BLOCK_SIZE_FOLLOWS << 4) | AS_DECLARED, 8);
  out.put(((info.channelCount - 1) << 4) | (AS_DECLARED << 1), 8);
  out.put(0, 8); // frame number
  out.put(info.maxBlockSamples - 1, 16);
  out.put(crc8(out.bytes, out.length), 8);
  for (let channel = 0; channel < info.channelCount; channel++) {
    out.put(0, 8); // constant, no wasted bits
    for (let left = info.bitsPerSample; left > 0; left -= MAX_BITS_PER_PUT)
      out.put(0, Math.min(left, MAX_BITS_PER_PUT));
  }
  out.align();
  out.put(crc16(out.bytes, out.length), 16);
  return out.bytes.slice(0, out.length);
}
