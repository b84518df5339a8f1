import { describe, expect, test } from 'vitest';
import {
  type Area,
  isSame,
  MIN_CORNERS,
  movedArea,
  newArea,
  outline,
  withAnotherCorner,
  withCornerAt,
  withoutCorner,
} from './mask-shape.ts';

const SQUARE: Area = {
  id: 0,
  name: 'Door',
  points: [
    { x: 0, y: 0 },
    { x: 4_000, y: 0 },
    { x: 4_000, y: 2_000 },
    { x: 0, y: 2_000 },
  ],
};

describe('an area of a privacy mask', () => {
  test('begins as a rectangle inside the picture, each at another place', () => {
    const areas: Area[] = [];
    for (let count = 0; count < 16; count++) areas.push(newArea(areas));
    expect(new Set(areas.map(({ id }) => id)).size).toBe(16);
    for (const { x, y } of areas.flatMap(({ points }) => points)) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(Math.max(x, y)).toBeLessThanOrEqual(10_000);
    }
    expect(outline(areas[0]!)).not.toBe(outline(areas[1]!));
  });

  test('has corners that stay inside the picture', () => {
    const { points } = withCornerAt(SQUARE, 1, { x: 12_000.4, y: -3 });
    expect(points[1]).toEqual({ x: 10_000, y: 0 });
    expect(points[0]).toEqual({ x: 0, y: 0 });
  });

  test('moves as a whole, up to the edge', () => {
    expect(outline(movedArea(SQUARE, 500, 300))).toBe('500,300 4500,300 4500,2300 500,2300');
    expect(outline(movedArea(SQUARE, 9_000, -50))).toBe('6000,0 10000,0 10000,2000 6000,2000');
  });

  test('gets another corner in its longest side, and loses corners down to three', () => {
    const more = withAnotherCorner(SQUARE);
    expect(more.points[1]).toEqual({ x: 2_000, y: 0 });
    let less = more;
    for (let times = 0; times < 5; times++) less = withoutCorner(less, 0);
    expect(less.points).toHaveLength(MIN_CORNERS);
  });

  test('is compared by its name and its corners', () => {
    expect(isSame([SQUARE], [{ ...SQUARE, id: 7 }])).toBe(true);
    expect(isSame([SQUARE], [{ ...SQUARE, name: 'Window' }])).toBe(false);
    expect(isSame([SQUARE], [])).toBe(false);
  });
});
