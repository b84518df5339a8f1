import { describe, expect, it } from 'vitest';
import { firstDifference } from './first-difference.ts';

describe('the first difference', () => {
  it.each([
    [{}, { name: 'Dock' }, null],
    [{ name: 'Dock' }, { name: 'Dock', floor: 1 }, null],
    [{ name: undefined }, { name: 'Dock' }, null],
    [{ name: 'Dock', floor: 2, label: 'x' }, { name: 'Dock', floor: 1 }, 'floor'],
    [{ floor: 2 }, {}, 'floor'],
    [{ list: [1, { a: 2 }] }, { list: [1, { a: 2 }] }, null],
    [{ list: [1, 2] }, { list: [2, 1] }, 'list'],
    [{ map: { a: 1, b: 2 } }, { map: { b: 2, a: 1 } }, null],
    [{ angle: -0, places: [-0] }, { angle: 0, places: [0] }, null],
    [{ name: null }, {}, 'name'],
  ])('of %j from %j is %j', (given, stored, field) => {
    expect(firstDifference(given, stored)).toBe(field);
  });
});
