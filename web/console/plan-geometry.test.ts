import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  aimed,
  aimOf,
  conePath,
  fitted,
  moved,
  NEW_PLACE,
  type PlanPlace,
  rotated,
} from './plan-geometry.ts';

const SIZE = { widthPx: 1_000, heightPx: 500 };
const at = (more: Partial<PlanPlace>): PlanPlace => ({ ...NEW_PLACE, ...more });

test('a camera does not leave the plan', () => {
  expect(moved(at({ x: 0.95, y: 0.5 }), 0.1, 0)).toMatchObject({ x: 1, y: 0.5 });
  expect(moved(at({ x: 0.5, y: 0.02 }), 0, -0.1)).toMatchObject({ x: 0.5, y: 0 });
  expect(moved(at({ x: 0.1, y: 0.1 }), 0.2, 0.1)).toMatchObject({ x: 0.3, y: 0.2 });
});

test('it turns both ways around', () => {
  expect(rotated(at({ directionDeg: 350 }), 15).directionDeg).toBe(5);
  expect(rotated(at({ directionDeg: 5 }), -15).directionDeg).toBe(350);
});

test.each([
  ['up', 0.5, 0.2, 0],
  ['right', 0.7, 0.5, 90],
  ['down', 0.5, 0.9, 180],
  ['left', 0.2, 0.5, 270],
])(
  'a view that is dragged %s looks there, also on a plan that is not square',
  (_name, x, y, directionDeg) => {
    expect(aimed(at({}), x, y, SIZE).directionDeg).toBe(directionDeg);
  },
);

test('the point to drag is where the view ends', () => {
  const range = fc.double({ min: 0.2, max: 0.8, noNaN: true });
  fc.assert(
    fc.property(range, range, fc.integer({ min: 0, max: 359 }), (x, y, directionDeg) => {
      const place = at({ x, y, directionDeg, reach: 0.1 });
      const aim = aimOf(place, SIZE);
      const again = aimed(place, aim.x, aim.y, SIZE);
      expect(again.reach).toBeCloseTo(0.1, 3);
      const turn = Math.abs(again.directionDeg - directionDeg) % 360;
      expect(Math.min(turn, 360 - turn)).toBeLessThanOrEqual(1);
    }),
  );
});

test('the cone begins at the camera and has its angle; all around, it is a circle', () => {
  expect(conePath(at({ x: 0.5, y: 0.5, directionDeg: 90, angleDeg: 90, reach: 0.1 }), SIZE)).toBe(
    'M500 250l70.7 -70.7A100 100 0 0 1 570.7 320.7z',
  );
  expect(conePath(at({ angleDeg: 270 }), SIZE)).toContain(' 0 1 1 ');
  expect(conePath(at({ angleDeg: 360, reach: 0.1 }), SIZE)).toBe(
    'M400 250a100 100 0 1 1 200 0a100 100 0 1 1 -200 0z',
  );
});

test('an image is made smaller in its shape, and never larger', () => {
  expect(fitted({ widthPx: 8_000, heightPx: 4_000 }, 2_400)).toEqual({ widthPx: 2_400, heightPx: 1_200 });
  expect(fitted({ widthPx: 300, heightPx: 900 }, 2_400)).toEqual({ widthPx: 300, heightPx: 900 });
  expect(fitted({ widthPx: 1, heightPx: 9_000 }, 2_400)).toEqual({ widthPx: 1, heightPx: 2_400 });
});
