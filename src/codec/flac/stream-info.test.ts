import { describe, expect, it } from 'vitest';
import { flacTrackOf, writeStreamInfo } from './stream-info.ts';

describe('STREAMINFO', () => {
  it.each([
    ['too short', (bytes: Uint8Array) => bytes.subarray(1)],
    ['without a rate', (bytes: Uint8Array) => bytes.fill(0, 10, 13)],
    ['with blocks that are too small', (bytes: Uint8Array) => bytes.fill(0, 0, 2)],
    ['with bounds the wrong way around', (bytes: Uint8Array) => bytes.fill(0xff, 0, 2)],
  ])('is refused %s', (_title, damage) => {
    const info = {
      minBlockSamples: 320,
      maxBlockSamples: 320,
      sampleRateHz: 8_000,
      channelCount: 1,
      bitsPerSample: 16,
    };
    expect(flacTrackOf(damage(writeStreamInfo(info)))).toBeNull();
  });
});
