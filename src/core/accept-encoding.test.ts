import { describe, expect, it } from 'vitest';
import { acceptsCoding } from './accept-encoding.ts';

describe('acceptsCoding (RFC 9110 §12.5.3)', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['GZip;Q=0.5', true],
    [' gzip ; q=1.000 ', true],
    ['x-gzip', true],
    ['br', false],
    ['identity', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000, *', false],
    ['*', true],
    ['*;q=0', false],
    ['*;q=0, gzip', true],
    ['br;q=1, *;q=0.1', true],
    ['identity;q=1, gzip;q=0.5', false],
    ['identity;q=0.5, gzip;q=0.5', true],
    ['identity;q=0', false],
    ['gzip;q=2', false],
    ['gzip;q=-1', false],
    ['gzip;q=x', false],
    ['gzipped', false],
    [',,;;q=1,', false],
  ])('%j accepts gzip: %s', (header, expected) => {
    expect(acceptsCoding(header, 'gzip')).toBe(expected);
    // Known now.
    expect(acceptsCoding(header, 'gzip')).toBe(expected);
  });

  it('distinguishes codings, and reads a field that was sent several times', () => {
    expect([acceptsCoding('br', 'br'), acceptsCoding('gzip', 'br')]).toEqual([true, false]);
    expect(acceptsCoding(['deflate', 'gzip'], 'gzip')).toBe(true);
  });

  it('remembers a limited number of headers, and parses those beyond it', () => {
    for (let index = 0; index < 200; index++) {
      expect(acceptsCoding(`x${index}, gzip`, 'gzip')).toBe(true);
      expect(acceptsCoding(`x${index}, gzip;q=0`, 'gzip')).toBe(false);
    }
  });

  it('reads only the first codings of an endless header', () => {
    expect(acceptsCoding(`${'x,'.repeat(100_000)}gzip`, 'gzip')).toBe(false);
  });
});
