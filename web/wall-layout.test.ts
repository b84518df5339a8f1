import { expect, test } from 'vitest';
import { isLargeCell, screenfulsOf, type WallLayoutKind } from './wall-layout.ts';

const IDS = Array.from({ length: 16 }, (_, i) => `camera ${i}`);

test.each([
  ['AUTOMATIC', [16]],
  ['ONE_PLUS_FIVE', [6, 6, 4]],
  ['TWO_BY_TWO', [4, 4, 4, 4]],
  ['THREE_BY_THREE', [9, 7]],
  ['FOUR_BY_FOUR', [16]],
] satisfies [WallLayoutKind, number[]][])('%s has pages of its size', (kind, sizes) => {
  const pages = screenfulsOf(IDS, kind, []);
  expect(pages.map(({ ids }) => ids.length)).toEqual(sizes);
  expect(pages.flatMap(({ ids }) => ids)).toEqual(IDS);
});

test('one camera of six is large', () => {
  const [first] = screenfulsOf(IDS.slice(0, 6), 'ONE_PLUS_FIVE', []);
  expect(first!.cells!.map(isLargeCell)).toEqual([true, false, false, false, false, false]);
});

test('a free layout has its own cameras first, and all others on further pages', () => {
  const places = [
    { id: 'removed', x: 0, y: 0, width: 12, height: 3 },
    { id: IDS[3]!, x: 0, y: 3, width: 6, height: 9 },
  ];
  const [first, second, ...more] = screenfulsOf(IDS, 'FREE', places);
  expect(first).toEqual({ ids: [IDS[3]], cells: [{ x: 0, y: 0.25, width: 0.5, height: 0.75 }] });
  expect([second!.ids.length, second!.cells, more]).toEqual([15, null, []]);
  expect(screenfulsOf(IDS, 'FREE', []).map(({ ids }) => ids.length)).toEqual([16]);
});
