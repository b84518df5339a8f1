import { expect, it } from 'vitest';
import { placedTilesOf } from './wall-message.ts';

const TILE = {
  id: 'A'.repeat(22),
  grant: 'b'.repeat(82),
  name: 'Dock',
  offlineSinceMs: null,
  number: 1,
  x: 0,
  y: 0,
  width: 0.5,
  height: 1,
  isLarge: false,
};

it('takes the whole wall', () => {
  expect(placedTilesOf({ kind: 'wall', tiles: [] })).toEqual([]);
  expect(
    placedTilesOf({ kind: 'wall', tiles: [TILE, { ...TILE, x: 0.5, offlineSinceMs: 1_700_000_000_000 }] }),
  ).toHaveLength(2);
});

it.each([
  null,
  'wall',
  [],
  { kind: 'live' },
  { kind: 'wall' },
  { kind: 'wall', tiles: {} },
  { kind: 'wall', tiles: [null] },
  { kind: 'wall', tiles: Array.from({ length: 33 }, () => TILE) },
  ...[
    { id: 'x' },
    { id: undefined },
    { grant: '../open' },
    { grant: '' },
    { name: 1 },
    { offlineSinceMs: undefined },
    { offlineSinceMs: 'today' },
    { number: 0.5 },
    { x: -0.1 },
    { width: 1.1 },
    { height: Number.NaN },
    { isLarge: 'true' },
  ].map((fields) => ({ kind: 'wall', tiles: [TILE, { ...TILE, ...fields }] })),
])('ignores %j', (data) => {
  expect(placedTilesOf(data)).toBeNull();
});
