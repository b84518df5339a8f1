import { describe, expect, it } from 'vitest';
import { PartSizing } from './part-sizing.ts';

const TIMESCALE_HZ = 90_000;

/** Durations in milliseconds of the parts made from frames of these durations. */
function partsOf(sizing: PartSizing, framesMs: readonly number[]): number[] {
  const parts: number[] = [];
  let partTicks = 0;
  for (const frameMs of framesMs) {
    const ticks = Math.round(frameMs * 90);
    if (partTicks > 0 && sizing.isTooLong(partTicks + ticks)) {
      parts.push(partTicks / 90);
      sizing.accept(partTicks);
      partTicks = 0;
    }
    partTicks += ticks;
    if (!sizing.isFull(partTicks, ticks)) continue;
    parts.push(partTicks / 90);
    sizing.accept(partTicks);
    partTicks = 0;
  }
  return parts;
}

function sizingFor(nominalFrameRateHz: number | null): PartSizing {
  const sizing = new PartSizing(333);
  sizing.setTrack(TIMESCALE_HZ, nominalFrameRateHz);
  return sizing;
}

const steady = (frameRateHz: number) => Array.from({ length: 400 }, () => 1_000 / frameRateHz);

describe('PartSizing', () => {
  it.each([120, 60, 50, 30, 29.97, 25, 24, 20, 18, 15, 12.5, 12, 10, 9, 8, 7, 6, 5, 4, 3])(
    'keeps parts of a steady %d Hz between 85 and 100 percent of a target from 200 to 500 ms',
    (frameRateHz) => {
      const sizing = sizingFor(null);
      const parts = partsOf(sizing, steady(frameRateHz));
      expect(sizing.targetMs).toBeGreaterThanOrEqual(200);
      expect(sizing.targetMs).toBeLessThanOrEqual(500);
      for (const partMs of parts) {
        expect(partMs).toBeLessThanOrEqual(sizing.targetMs);
        expect(partMs).toBeGreaterThanOrEqual(0.85 * sizing.targetMs);
      }
    },
  );

  it('makes each frame a part if the stream says that frames take longer than parts should', () => {
    const sizing = sizingFor(1);
    expect(partsOf(sizing, [1_000, 1_000, 1_000])).toEqual([1_000, 1_000, 1_000]);
    expect(sizing.targetMs).toBe(1_082);
  });

  it('keeps parts legal when frames at 25 Hz arrive up to 10 ms early or late', () => {
    const sizing = sizingFor(25);
    const lateMs = (frame: number) => ((frame * 7_919) % 21) - 10;
    const frames = Array.from({ length: 500 }, (_, frame) => 40 + lateMs(frame + 1) - lateMs(frame));
    for (const partMs of partsOf(sizing, frames)) {
      expect(partMs).toBeLessThanOrEqual(sizing.targetMs);
      expect(partMs).toBeGreaterThanOrEqual(0.85 * sizing.targetMs);
    }
  });

  it('does not let one hiccup at the start set the target', () => {
    const sizing = sizingFor(null);
    partsOf(sizing, [2_000, ...steady(25)]);
    expect(sizing.targetMs).toBe(360);
  });

  it('does not let a pause right after the first frame set the target', () => {
    const sizing = sizingFor(null);
    partsOf(sizing, [40, 900, ...steady(25)]);
    expect(sizing.targetMs).toBe(360);
  });

  it('keeps the target after single long frames and raises it for a camera that has become slow', () => {
    const sizing = sizingFor(25);
    partsOf(sizing, [...steady(25), 900, ...steady(25), 900, 900, ...steady(25)]);
    expect(sizing.targetMs).toBe(346);
    partsOf(sizing, [900, 900, 900, 900]);
    expect(sizing.targetMs).toBe(973);
  });
});
