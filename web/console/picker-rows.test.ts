import { describe, expect, test } from 'vitest';
import { movedPlace, pickRows, rowOfPlace, rowsInSight, scrollToShow } from './picker-rows.ts';

const ANY = [{ value: '', title: 'All cameras' }];
const GROUPS = [
  {
    title: 'Harbor',
    options: [
      { value: 'a', title: 'Gate', note: 'offline' },
      { value: 'b', title: 'Dock' },
    ],
  },
  { title: 'Office', options: [{ value: 'c', title: 'Gate' }] },
];
const textsOf = (typed: string) =>
  pickRows(ANY, GROUPS, typed).map((row) =>
    row.kind === 'group' ? `# ${row.title}` : `${row.place} ${row.option.value}`,
  );

describe('rows', () => {
  test('have a heading for each group, and count only options', () => {
    expect(textsOf('')).toEqual(['0 ', '# Harbor', '1 a', '2 b', '# Office', '3 c']);
  });

  test('are found by name, group, and note, in any order of words', () => {
    expect(textsOf('harbor GATE')).toEqual(['# Harbor', '0 a']);
    expect(textsOf('offline')).toEqual(['# Harbor', '0 a']);
    expect(textsOf('gate')).toEqual(['# Harbor', '0 a', '# Office', '1 c']);
    expect(textsOf('nothing like this')).toEqual([]);
  });

  test('are known by the place of their option', () => {
    const rows = pickRows(ANY, GROUPS, '');
    expect(rowOfPlace(rows, 0)).toBe(0);
    expect(rowOfPlace(rows, 3)).toBe(5);
    expect(rowOfPlace(rows, 4)).toBe(-1);
  });
});

test('of a thousand rows, only those near the window are drawn', () => {
  expect(rowsInSight(1_000, 40, 0, 320)).toEqual({ from: 0, to: 12 });
  expect(rowsInSight(1_000, 40, 20_000, 320)).toEqual({ from: 496, to: 512 });
  expect(rowsInSight(3, 40, 0, 320)).toEqual({ from: 0, to: 3 });
});

test('scrolls no further than a row needs', () => {
  expect(scrollToShow(2, 40, 0, 320)).toBe(0);
  expect(scrollToShow(8, 40, 0, 320)).toBe(40);
  expect(scrollToShow(1, 40, 400, 320)).toBe(40);
});

test('keys stop at both ends', () => {
  expect(movedPlace('ArrowDown', 0, 3, 8)).toBe(1);
  expect(movedPlace('ArrowUp', 0, 3, 8)).toBe(0);
  expect(movedPlace('PageDown', 1, 30, 8)).toBe(9);
  expect(movedPlace('PageDown', 1, 3, 8)).toBe(2);
  expect(movedPlace('ArrowDown', 0, 0, 8)).toBeNull();
  expect(movedPlace('a', 0, 3, 8)).toBeNull();
});
