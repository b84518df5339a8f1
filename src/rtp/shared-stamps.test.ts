import { describe, expect, it } from 'vitest';
import { DecodeTimes } from './decode-times.ts';

const FRAME_TICKS = 3_600;

/** Decoding and presentation times of pictures with these timestamps, in frames. */
function timesOf(stamps: readonly number[], depth = 0): { dts: number[]; pts: number[]; depth: number } {
  const times = new DecodeTimes();
  times.declare(depth);
  times.start(stamps[0]! * FRAME_TICKS, FRAME_TICKS);
  const [dts, pts]: number[][] = [[], []];
  for (const stamp of stamps) {
    times.next(stamp * FRAME_TICKS);
    dts!.push(times.dtsTicks / FRAME_TICKS);
    pts!.push(times.ptsTicks / FRAME_TICKS);
  }
  return { dts: dts!, pts: pts!, depth: times.reorderFrames };
}

describe('pictures with one timestamp', () => {
  it.each([
    ['pairs become even', [0, 0, 2, 2, 4, 4, 6], [0, 0.5, 2, 3, 4, 5, 6]],
    ['one between others gets half of the distance', [0, 1, 2, 2, 3, 4], [0, 1, 2, 2.5, 3, 4]],
    ['of three, the last gets half of what is left', [0, 1, 1, 1, 2], [0, 1, 1.5, 1.75, 2]],
    ['a pause is not the usual distance', [0, 1, 2, 200, 200, 201], [0, 1, 2, 200, 202, 202.0003]],
  ])('%s', (_title, stamps, expected) => {
    const { dts, pts, depth } = timesOf(stamps);
    expect(pts).toEqual(dts);
    for (const [index, time] of dts.entries()) expect(time).toBeCloseTo(expected[index]!, 3);
    expect(depth).toBe(0);
  });

  it('never go back, and are no reordering, if the next one comes early', () => {
    const { dts, depth } = timesOf([0, 1, 1, 1.1, 2, 3]);
    for (let index = 1; index < dts.length; index++) expect(dts[index]).toBeGreaterThan(dts[index - 1]!);
    expect([depth, dts.at(-1)]).toEqual([0, 3]);
  });

  it('keep their order where pictures are reordered', () => {
    const { dts, pts } = timesOf([1, 3, 2, 5, 4], 1);
    expect(pts).toEqual([1, 3, 2, 5, 4]);
    expect(dts).toEqual([0, 1, 2, 3, 4]);
  });
});
