import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { csvLine } from './csv.ts';

describe('a line of CSV', () => {
  it('leaves what needs no quotes as it is', () => {
    expect(csvLine(['2026-01-01', '08:31:15+00:00', 'Lobby 2', ''])).toBe(
      '2026-01-01,08:31:15+00:00,Lobby 2,\r\n',
    );
  });

  it('keeps every text one cell, and gives it back', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), (texts) => {
        const cells = cellsOf(csvLine(texts));
        expect(cells.map((cell) => cell.replace(/^'(?=[\s\u3000]*[=+\-@\s＝＋－＠])/, ''))).toEqual(texts);
      }),
      randomRuns(300),
    );
  });

  it('has no cell that a spreadsheet reads as a formula', () => {
    const start = fc.constantFrom(...['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    const spaces = fc.constantFrom('', ' ', '\u3000', '\u00a0 ');
    fc.assert(
      fc.property(spaces, start, fc.string(), (before, first, rest) => {
        expect(cellsOf(csvLine([`${before}${first}${rest}`]))[0]).toMatch(/^'/);
      }),
      randomRuns(200),
    );
  });
});

/** Reads one line by RFC 4180. */
function cellsOf(line: string): string[] {
  expect(line.endsWith('\r\n')).toBe(true);
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n$)/gy;
  for (let match = cell.exec(line); match !== null; match = cell.exec(line)) {
    cells.push((match[1] ?? match[2] ?? '').replaceAll('""', '"'));
    if (cell.lastIndex === line.length) break;
  }
  return cells;
}
