import { describe, expect, it } from 'vitest';
import { decodedSize, decodingOf } from './picture-decoder.ts';

describe('decodedSize', () => {
  const half = { xPermyriad: 0, yPermyriad: 0, widthPermyriad: 5_000, heightPermyriad: 5_000 };
  it.each([
    [640, 360, { maxWidthPx: 3_840, crop: null }, 640, 360],
    [1_920, 1_080, { maxWidthPx: 1_280, crop: null }, 1_280, 720],
    [1_920, 1_080, { maxWidthPx: 1_280, crop: half }, 960, 540],
    [1_080, 1_920, { maxWidthPx: 3_840, crop: null }, 1_080, 1_920],
    [7_680, 4_320, { maxWidthPx: 10_000, crop: null }, 3_840, 2_160],
    [4_096, 16, { maxWidthPx: 1_280, crop: null }, 1_280, 5],
    [16, 16_384, { maxWidthPx: 3_840, crop: null }, 4, 3_840],
  ])('brings %i × %i for %j to %i × %i', (width, height, wanted, widthPx, heightPx) => {
    expect(decodedSize(width, height, wanted)).toEqual({ widthPx, heightPx });
  });
});

describe('decodingOf', () => {
  const frame = { fmp4: [], widthPx: 1_920, heightPx: 1_080, atEpochMs: 0 };
  const crop = { xPermyriad: 0, yPermyriad: 0, widthPermyriad: 5_000, heightPermyriad: 5_000 };
  it.each([
    ['a third of the frame', frame, { maxWidthPx: 640, crop: null }, false],
    ['more than a third', frame, { maxWidthPx: 641, crop: null }, true],
    ['a part of it', frame, { maxWidthPx: 320, crop }, true],
    ['predicted from others', { ...frame, frameIndex: 3 }, { maxWidthPx: 640, crop: null }, true],
  ])('filters a picture that is %s only if that shows', (_what, coded, wanted, isFiltered) => {
    expect(decodingOf(coded, wanted, 5).line.args.includes('-skip_loop_filter')).toBe(!isFiltered);
  });
});
