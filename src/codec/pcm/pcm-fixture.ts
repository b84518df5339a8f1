/** Helpers that tests of PCM decoders share. */

import { expect } from 'vitest';
import type { PcmDecoder } from './pcm-decoder.ts';

/** Every width of G.726 codes in both packings. */
export const G726_FORMATS = ([2, 3, 4, 5] as const).flatMap((bits) =>
  (['little-endian', 'big-endian'] as const).map((packing) => ({ bits, packing })),
);

/** All samples of `bytes`. */
export function decoded(decoder: PcmDecoder, bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(decoder.samplesIn(bytes.length));
  expect(decoder.decode(bytes, 0, bytes.length, samples)).toBe(samples.length);
  return samples;
}
