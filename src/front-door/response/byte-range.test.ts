import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { parseByteRange } from './byte-range.ts';

describe('parseByteRange, of 100 bytes', () => {
  it.each([
    ['bytes=0-', { first: 0, last: 99 }],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=10-59', { first: 10, last: 59 }],
    ['bytes=99-99', { first: 99, last: 99 }],
    ['bytes=99-', { first: 99, last: 99 }],
    ['bytes=0-99', { first: 0, last: 99 }],
    ['bytes=50-100', { first: 50, last: 99 }],
    ['bytes=50-999999999999999', { first: 50, last: 99 }],
    ['bytes=-1', { first: 99, last: 99 }],
    ['bytes=-100', { first: 0, last: 99 }],
    ['bytes=-101', { first: 0, last: 99 }],
    ['bytes=007-08', { first: 7, last: 8 }],
    ['Bytes=1-2', { first: 1, last: 2 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', 'whole'],
    ['bytes=200-100', 'whole'],
    ['bytes=0-0,5-9', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=', 'whole'],
    ['bytes', 'whole'],
    ['bytes=5', 'whole'],
    ['bytes=--5', 'whole'],
    ['bytes=5--', 'whole'],
    ['bytes=1.5-9', 'whole'],
    ['bytes=0x1-9', 'whole'],
    ['bytes= 1-2', 'whole'],
    ['bytes=1 -2', 'whole'],
    ['bytes=1-9999999999999999', 'whole'],
    ['seconds=1-2', 'whole'],
    ['', 'whole'],
    [undefined, 'whole'],
  ])('%s', (header, expected) => {
    expect(parseByteRange(header, 100)).toEqual(expected);
  });

  it('has no bytes from an empty body', () => {
    for (const header of ['bytes=0-', 'bytes=-1', 'bytes=0-0'])
      expect(parseByteRange(header, 0)).toBe('unsatisfiable');
  });

  it('always lies within the body, and follows the header', () => {
    const number = fc.oneof(fc.constant(''), fc.nat(300).map(String), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(number, number, fc.nat(200), (first, last, totalBytes) => {
        const range = parseByteRange(`bytes=${first}-${last}`, totalBytes);
        if (typeof range === 'string') return;
        expect(range.first).toBeGreaterThanOrEqual(0);
        expect(range.last).toBeGreaterThanOrEqual(range.first);
        expect(range.last).toBeLessThan(totalBytes);
        if (first !== '') expect(range.first).toBe(Number(first));
        else expect(range.first).toBe(Math.max(0, totalBytes - Number(last)));
        if (first !== '' && last !== '') expect(range.last).toBe(Math.min(Number(last), totalBytes - 1));
      }),
      randomRuns(10_000),
    );
  });
});
