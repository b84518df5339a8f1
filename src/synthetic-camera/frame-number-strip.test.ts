import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { drawFrameNumberStrip, readFrameNumberStrip } from './frame-number-strip.ts';

function sampler(luma: Uint8Array, widthPx: number, heightPx: number) {
  return (x: number, y: number) => luma[Math.floor(y * heightPx) * widthPx + Math.floor(x * widthPx)]!;
}

describe('frame number strip', () => {
  it('reads back what was drawn, at any size', () => {
    const sizes = fc.integer({ min: 36, max: 800 });
    fc.assert(
      fc.property(sizes, sizes, fc.integer({ min: 0, max: 65_535 }), (widthPx, heightPx, frame) => {
        const luma = new Uint8Array(widthPx * heightPx).fill(90);
        drawFrameNumberStrip(luma, widthPx, heightPx, frame);
        expect(readFrameNumberStrip(sampler(luma, widthPx, heightPx))).toBe(frame);
      }),
      randomRuns(200),
    );
  });

  it('notices a picture without a strip and a flipped block', () => {
    const [widthPx, heightPx] = [180, 120];
    const luma = new Uint8Array(widthPx * heightPx).fill(90);
    expect(readFrameNumberStrip(sampler(luma, widthPx, heightPx))).toBeNull();
    drawFrameNumberStrip(luma, widthPx, heightPx, 1234);
    for (let row = 0; row < 10; row++) luma.fill(235, row * widthPx + 10, row * widthPx + 20);
    expect(readFrameNumberStrip(sampler(luma, widthPx, heightPx))).toBeNull();
  });
});
