/**
 * G.726 in RTP payloads: codes of 2 to 5 bits, packed without gaps. RFC 3551 §4.5.4 begins with the least significant
 * bits of an octet; names that start with AAL2 (ITU-T I.366.2 annex E) with the most significant ones.
 */

import { type G726CodeBits, G726State } from './g726-state.ts';
import type { PcmDecoder } from './pcm-decoder.ts';

export type G726Packing = 'little-endian' | 'big-endian';

/** The state runs from payload to payload: one decoder per stream. */
export function g726Decoder(codeBits: G726CodeBits, packing: G726Packing): PcmDecoder {
  const state = new G726State(codeBits);
  const mask = (1 << codeBits) - 1;
  const isLittle = packing === 'little-endian';
  return {
    samplesIn: (payloadBytes) => Math.floor((payloadBytes * 8) / codeBits),
    decode(chunk, start, end, samples) {
      let bits = 0;
      let bitCount = 0;
      let count = 0;
      for (let at = start; at < end; at++) {
        bits = isLittle ? bits | (chunk[at]! << bitCount) : (bits << 8) | chunk[at]!;
        bitCount += 8;
        while (bitCount >= codeBits) {
          bitCount -= codeBits;
          samples[count++] = state.decode((isLittle ? bits : bits >> bitCount) & mask);
          bits = isLittle ? bits >> codeBits : bits & ((1 << bitCount) - 1);
        }
      }
      return count;
    },
  };
}
