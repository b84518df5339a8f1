import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { crc16 } from './crc.ts';
import { decodeFlacFrame } from './flac-decoder.ts';
import { FlacEncoder } from './flac-encoder.ts';

const BLOCK = 64;
const sample = fc.oneof(
  fc.integer({ min: -32_768, max: 32_767 }),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0, 32_767, -32_768, 256, -4_096),
);
const block = fc.array(sample, { minLength: BLOCK, maxLength: BLOCK });

function encoded(left: readonly number[], right: readonly number[] | null): Uint8Array {
  const channelCount = right === null ? 1 : 2;
  const encoder = new FlacEncoder({ sampleRateHz: 8_000, channelCount, blockSamples: BLOCK });
  return Uint8Array.from(
    encoder.encode(Int32Array.from(left), right === null ? null : Int32Array.from(right)),
  );
}

describe('decoding a FLAC frame', () => {
  it('returns what was encoded, of one channel and of two', () => {
    const property = fc.property(block, fc.option(block), (left, right) => {
      const samples = decodeFlacFrame(encoded(left, right));
      const expected = right === null ? left : left.flatMap((one, at) => [one, right[at]!]);
      expect([...samples!]).toEqual(expected);
    });
    fc.assert(property, randomRuns(500));
  });

  it('of anything else returns nothing, or samples', () => {
    const bytes = fc.uint8Array({ maxLength: 120 });
    const property = fc.property(block, bytes, fc.nat(200), (left, noise, at) => {
      expect(decodeFlacFrame(noise)).toBeNull();
      const frame = encoded(left, null);
      // With a checksum that is right, so that the rest is read.
      const damaged = Buffer.concat([frame.subarray(0, at % frame.length), noise, Buffer.alloc(2)]);
      damaged.writeUInt16BE(crc16(damaged, damaged.length - 2), damaged.length - 2);
      const samples = decodeFlacFrame(damaged);
      if (samples !== null) expect(samples.length).toBeLessThanOrEqual(2 * 65_536);
    });
    fc.assert(property, randomRuns(1_000));
  });

  it('of a truncated frame returns nothing', () => {
    const frame = encoded(
      Array.from({ length: BLOCK }, (_, at) => at * at),
      null,
    );
    for (let length = 0; length < frame.length; length++) {
      expect(decodeFlacFrame(frame.subarray(0, length))).toBeNull();
    }
  });
});
