/** Payloads that are linear samples: L16 and L8. RFC 3551 §4.5.10, §4.5.11. */

import type { PcmDecoder } from './pcm-decoder.ts';

const OFFSET_8 = 0x80;

/** Two bytes: in network order, or in the other one, which only Hikvision sends. */
export function l16Decoder(order: 'big-endian' | 'little-endian'): PcmDecoder {
  const [high, low] = order === 'big-endian' ? [0, 1] : [1, 0];
  return {
    samplesIn: (payloadBytes) => payloadBytes >> 1,
    decode(chunk, start, end, samples) {
      const count = (end - start) >> 1;
      for (let index = 0; index < count; index++) {
        const at = start + 2 * index;
        samples[index] = (chunk[at + high]! << 8) | chunk[at + low]!;
      }
      return count;
    },
  };
}

/** One byte with an offset of 128. */
export function l8Decoder(): PcmDecoder {
  return {
    samplesIn: (payloadBytes) => payloadBytes,
    decode(chunk, start, end, samples) {
      for (let at = start; at < end; at++) samples[at - start] = (chunk[at]! - OFFSET_8) << 8;
      return end - start;
    },
  };
}
