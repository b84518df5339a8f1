import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { boxesCovering, MAX_MASK_BOXES, type PictureBox, type Polygon } from './mask-boxes.ts';

const point = fc.record({
  xPermyriad: fc.integer({ min: 0, max: 10_000 }),
  yPermyriad: fc.integer({ min: 0, max: 10_000 }),
});
const polygon = fc.array(point, { minLength: 3, maxLength: 32 });
const polygons = fc.array(polygon, { minLength: 1, maxLength: 16 });

function at(xPermyriad: number, yPermyriad: number): Polygon[number] {
  return { xPermyriad, yPermyriad };
}

function rectangle(left: number, top: number, right: number, bottom: number): Polygon {
  return [at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
}

/** Whether a point is inside, by the even-odd rule. */
function isInside(shape: Polygon, x: number, y: number): boolean {
  let isIn = false;
  for (const [index, from] of shape.entries()) {
    const to = shape[(index + 1) % shape.length]!;
    if (from.yPermyriad > y === to.yPermyriad > y) continue;
    const share = (y - from.yPermyriad) / (to.yPermyriad - from.yPermyriad);
    if (x < from.xPermyriad + share * (to.xPermyriad - from.xPermyriad)) isIn = !isIn;
  }
  return isIn;
}

function isCovered(boxes: readonly PictureBox[], x: number, y: number): boolean {
  return boxes.some(({ left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
}

describe('boxesCovering', () => {
  it('is one box for a rectangle on strips', () => {
    expect(boxesCovering([rectangle(1_000, 2_000, 4_000, 6_000)])).toEqual([
      { left: 1_000, top: 1_950, right: 4_000, bottom: 6_050 },
    ]);
  });

  it('has one box for each arm of a shape that is open at the bottom', () => {
    const shape = [at(0, 0), at(9_000, 0), at(9_000, 9_000), at(6_000, 9_000)];
    const boxes = boxesCovering([
      [...shape, at(6_000, 3_000), at(3_000, 3_000), at(3_000, 9_000), at(0, 9_000)],
    ]);
    expect(isCovered(boxes, 1_500, 8_000)).toBe(true);
    expect(isCovered(boxes, 7_500, 8_000)).toBe(true);
    expect(isCovered(boxes, 4_500, 8_000)).toBe(false);
  });

  it('leaves out what is far from a triangle', () => {
    const boxes = boxesCovering([[at(0, 0), at(5_000, 0), at(0, 5_000)]]);
    expect(isCovered(boxes, 4_000, 4_000)).toBe(false);
    expect(isCovered(boxes, 1_000, 1_000)).toBe(true);
  });

  it('covers a line and a point', () => {
    const line = boxesCovering([[at(2_000, 2_000), at(4_000, 2_000), at(2_000, 2_000)]]);
    expect(isCovered(line, 3_000, 2_000)).toBe(true);
    expect(
      isCovered(
        boxesCovering([[at(10_000, 10_000), at(10_000, 10_000), at(10_000, 10_000)]]),
        10_000,
        10_000,
      ),
    ).toBe(true);
  });

  it('covers every point of any polygons, in few boxes within the picture', () => {
    fc.assert(
      fc.property(polygons, fc.array(point, { minLength: 50, maxLength: 50 }), (shapes, points) => {
        const boxes = boxesCovering(shapes);
        expect(boxes.length).toBeLessThanOrEqual(MAX_MASK_BOXES);
        for (const { left, top, right, bottom } of boxes) {
          expect(left).toBeGreaterThanOrEqual(0);
          expect(top).toBeGreaterThanOrEqual(0);
          expect(right).toBeLessThanOrEqual(10_000);
          expect(bottom).toBeLessThanOrEqual(10_000);
        }
        for (const { xPermyriad: x, yPermyriad: y } of [...points, ...shapes.flat()]) {
          if (!shapes.some((shape) => isInside(shape, x, y))) continue;
          expect(isCovered(boxes, x, y)).toBe(true);
        }
        for (const { xPermyriad: x, yPermyriad: y } of shapes.flat())
          expect(isCovered(boxes, x, y)).toBe(true);
      }),
      randomRuns(200),
    );
  });
});
