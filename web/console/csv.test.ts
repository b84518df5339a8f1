import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvOf, rowsOfCsv } from './csv.ts';

const cellsOf = (text: string) => rowsOfCsv(text).map(({ cells }) => cells);

it.each([
  [
    'name,site\r\nDock,Harbor\r\n',
    [
      ['name', 'site'],
      ['Dock', 'Harbor'],
    ],
  ],
  [
    '\uFEFFname;site\nDock;"Har;bor"',
    [
      ['name', 'site'],
      ['Dock', 'Har;bor'],
    ],
  ],
  [
    'name\tsite\nDock\tHarbor',
    [
      ['name', 'site'],
      ['Dock', 'Harbor'],
    ],
  ],
  ['"a ""b"" c",d', [['a "b" c', 'd']]],
  [
    'a,b\n\n,\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ["'=1+1,'plain", [['=1+1', "'plain"]]],
  ['', []],
])('reads %j', (text, rows) => {
  expect(cellsOf(text)).toEqual(rows);
});

it('counts lines, also those within a cell', () => {
  expect(rowsOfCsv('a\n"b\nc"\n\nd').map(({ line }) => line)).toEqual([1, 2, 5]);
});

it('reads what it writes, formulas included, and writes no formula', () => {
  const cell = fc.string({ unit: fc.constantFrom(...'=+-@＝＠\u3000\',;"\n\tab '.split('')) });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
      const written = csvOf([['name', 'site'], ...rows]);
      for (const each of rows.flat()) expect(csvOf([[each]])).not.toMatch(/^\uFEFF"\s*[=+\-@\t\r＝＠]/);
      const kept = rows.filter((cells) => cells.some((each) => each.trim() !== ''));
      expect(cellsOf(written).slice(1)).toEqual(kept);
    }),
  );
});
