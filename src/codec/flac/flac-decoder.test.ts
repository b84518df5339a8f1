import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { decodeFlacFrame } from './flac-decoder.ts';
import { FlacEncoder } from './flac-encoder.ts';

const BLOCK_SAMPLES = 320;

/** Copies of the frame, and its samples. */
function encoded(
  samples: readonly number[],
  channelCount: 1 | 2,
): { frame: Uint8Array; samples: Int16Array } {
  const encoder = new FlacEncoder({ sampleRateHz: 8_000, channelCount, blockSamples: BLOCK_SAMPLES });
  const channel = (of: number) =>
    Int32Array.from(
      { length: BLOCK_SAMPLES },
      (_, at) => samples[(at * channelCount + of) % samples.length]!,
    );
  const [left, right] = [channel(0), channelCount === 2 ? channel(1) : null];
  const all = Array.from(left, (sample, at) => (right === null ? [sample] : [sample, right[at]!]));
  return { frame: Uint8Array.from(encoder.encode(left, right)), samples: Int16Array.from(all.flat()) };
}

const anySamples = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 700 });
const TONE = Array.from({ length: 640 }, (_, at) => Math.round(9_000 * Math.sin(at / 5)));

describe('decodeFlacFrame', () => {
  it.each([1, 2] as const)('finds every sample of %i channels again', (channelCount) => {
    fc.assert(
      fc.property(anySamples, (values) => {
        const { frame, samples } = encoded(values, channelCount);
        expect(decodeFlacFrame(frame)).toEqual({ channelCount, samples });
      }),
      randomRuns(200),
    );
  });

  it.each([[0], [7, 7, 7], [256, -512, 1_024], TONE])(
    'decodes samples that are easy to predict',
    (...values) => {
      const { frame, samples } = encoded(values, 1);
      expect(decodeFlacFrame(frame)?.samples).toEqual(samples);
    },
  );

  it('refuses a frame that ends early, wherever', () => {
    const { frame } = encoded(TONE, 2);
    for (let length = 0; length < frame.length; length++) {
      expect(decodeFlacFrame(frame.subarray(0, length))).toBeNull();
    }
  });

  it('refuses a frame with one wrong bit, and any other bytes', () => {
    const { frame } = encoded(TONE, 1);
    for (let bit = 0; bit < 8 * frame.length; bit++) {
      const damaged = Uint8Array.from(frame);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(decodeFlacFrame(damaged)).toBeNull();
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(decodeFlacFrame(bytes)).toBeNull();
        expect(decodeFlacFrame(Uint8Array.of(...frame.subarray(0, 8), ...bytes))).toBeNull();
      }),
      randomRuns(2_000),
    );
  });
});
