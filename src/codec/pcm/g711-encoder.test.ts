import { describe, expect, it } from 'vitest';
import { type G711Law, g711Decoder } from './g711.ts';
import { g711Code } from './g711-encoder.ts';

const LAWS: readonly G711Law[] = ['mu-law', 'a-law'];

describe.each(LAWS)('g711Code: %s', (law) => {
  const samples = new Int16Array(256);
  g711Decoder(law).decode(
    Uint8Array.from({ length: 256 }, (_, code) => code),
    0,
    256,
    samples,
  );

  it('finds each code again by its sample', () => {
    for (const sample of samples) expect(samples[g711Code(law, sample)]).toBe(sample);
  });

  it('takes a code whose sample is closer than the steps at that loudness', () => {
    for (let sample = -32_000; sample <= 32_000; sample++) {
      const error = Math.abs(sample - samples[g711Code(law, sample)]!);
      if (error > Math.abs(sample) / 32 + 8) throw new Error(`${sample} is off by ${error}`);
    }
  });

  it('takes the loudest codes for what is louder', () => {
    const loudest = Math.max(...samples);
    expect([-32_768, 32_767].map((sample) => samples[g711Code(law, sample)])).toEqual([-loudest, loudest]);
  });
});
