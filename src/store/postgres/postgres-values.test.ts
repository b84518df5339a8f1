import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { COLUMN_TYPES, decodeText, encodeParameter, encodeText } from './postgres-values.ts';

const TRICKY = fc.string({ unit: fc.constantFrom('\u0000', '\u0001', '\u0002', 'a', 'ü', '漢') });

describe('text', () => {
  it.each([
    ['plain ü 漢字', 'plain ü 漢字'],
    ['a\u0000b', 'a\u0001\u0001b'],
    ['\u0001', '\u0001\u0002'],
    ['\u0001\u0000\u0002', '\u0001\u0002\u0001\u0001\u0002'],
  ])('%j is sent as %j and returns unchanged', (text, sent) => {
    expect(encodeText(text)).toBe(sent);
    expect(decodeText(sent)).toBe(text);
  });

  it('returns unchanged, without U+0000 on the wire', () => {
    fc.assert(
      fc.property(TRICKY, (text) => {
        expect(encodeText(text)).not.toContain('\u0000');
        expect(decodeText(encodeText(text))).toBe(text);
      }),
      randomRuns(5_000),
    );
  });

  it('sorts as before', () => {
    const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    fc.assert(
      fc.property(TRICKY, TRICKY, (a, b) => {
        expect(compare(encodeText(a), encodeText(b))).toBe(compare(a, b));
      }),
      randomRuns(5_000),
    );
  });
});

describe('columns', () => {
  const parse = (type: number, text: string) => COLUMN_TYPES.getTypeParser(type, 'text')(text);

  it('returns numbers for integers, sums and fractions', () => {
    const { INT4, INT8, NUMERIC, FLOAT8 } = pg.types.builtins;
    expect([parse(INT4, '-1'), parse(INT8, '9007199254740991')]).toEqual([-1, Number.MAX_SAFE_INTEGER]);
    expect([parse(NUMERIC, '12'), parse(FLOAT8, '40.7128')]).toEqual([12, 40.7128]);
  });

  it('refuses an integer that a number cannot hold', () => {
    expect(() => parse(pg.types.builtins.INT8, '9007199254740993')).toThrow(RangeError);
  });

  it('leaves numbers and null in the parameters unchanged', () => {
    expect([0, -1.5, null].map(encodeParameter)).toEqual([0, -1.5, null]);
  });
});
