/** Against figures of spandsp's decoders and our own; ffmpeg's are the judge in pcm.real.test.ts. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { encodeG711, g711Decoder } from './g711.ts';
import { g726Decoder } from './g726.ts';
import type { G726CodeBits } from './g726-state.ts';
import { l16Decoder } from './linear.ts';
import { decoded, G726_FORMATS } from './pcm-fixture.ts';
import { SPANDSP_VECTORS } from './spandsp-fixture.ts';

const DIGESTS = {
  2: '9f9876012714b62b',
  3: '99de0afd7bf0fe38',
  4: '8b0944b2601885b6',
  5: 'a85e0f501f1a0ef0',
};

describe('samples of RFC 3551', () => {
  it('half a sample is none', () => {
    expect(decoded(l16Decoder('big-endian'), Uint8Array.of(0x12, 0x34, 0x56))).toEqual(Int16Array.of(0x1234));
    for (const [bits, samples] of [
      [2, 4],
      [3, 2],
      [4, 2],
      [5, 1],
    ] as const)
      expect(g726Decoder(bits, 'little-endian').samplesIn(1)).toBe(samples);
  });
});

describe('G.711', () => {
  it.each(['mu-law', 'a-law'] as const)('of %s has the same codes after decoding and encoding', (law) => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
    const again = encodeG711(law, decoded(g711Decoder(law), codes));
    // Both zeros of µ-law are silence.
    if (law === 'mu-law') codes[0x7f] = 0xff;
    expect(again).toEqual(codes);
  });

  it.each(['mu-law', 'a-law'] as const)('of %s has the closest code for any other sample', (law) => {
    const samples = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768);
    const errors = decoded(g711Decoder(law), encodeG711(law, samples)).map((sample, at) =>
      Math.abs(sample - samples[at]!),
    );
    // Half a step of the largest segment, and what is louder than any code.
    expect(Math.max(...errors.subarray(1_024, 64_512))).toBeLessThanOrEqual(512);
  });
});

/** How SHA-256 of the samples, little-endian, begins. */
function digestOf(samples: Int16Array): string {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

describe('G.726', () => {
  it.each(SPANDSP_VECTORS)(
    'of $bits bits is what spandsp makes of it, to the last bit',
    ({ bits, digest, codes }) => {
      const samples = decoded(g726Decoder(bits, 'little-endian'), Buffer.from(codes, 'base64'));
      expect(digestOf(samples)).toBe(digest);
    },
  );

  // Compared once with libsndfile 1.2 (24, 32 and 40 kbit/s), whose only difference is a rounding constant of FMULT that it
  // leaves out on purpose: without it, our output was the same to the last bit, as far as its output does not overflow.
  it.each(Object.entries(DIGESTS))('of %s bits keeps every bit of what was compared', (bits, digest) => {
    const codes = Buffer.alloc(6_000);
    let state = 1;
    for (let at = 0; at < codes.length; at++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      codes[at] = state >> 16;
    }
    const samples = decoded(g726Decoder(Number(bits) as G726CodeBits, 'little-endian'), codes);
    expect(digestOf(samples)).toBe(digest);
  });

  it('takes any codes, and is the same in any pieces of whole codes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...G726_FORMATS),
        fc.uint8Array({ minLength: 1, maxLength: 600 }),
        fc.nat(40),
        ({ bits, packing }, bytes, pieces) => {
          const whole = decoded(g726Decoder(bits, packing), bytes);
          const cut = Math.min(bytes.length, pieces * bits);
          const decoder = g726Decoder(bits, packing);
          const parts = [decoded(decoder, bytes.subarray(0, cut)), decoded(decoder, bytes.subarray(cut))];
          expect([...parts[0]!, ...parts[1]!]).toEqual([...whole]);
        },
      ),
      randomRuns(300),
    );
  });
});
