import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { LengthPrefixes } from './length-prefixes.ts';

describe('LengthPrefixes', () => {
  const hex = (sample: string, lengthBytes: number) => {
    const converted = new LengthPrefixes().convert(Buffer.from(sample, 'hex'), lengthBytes);
    return converted === null ? null : Buffer.from(converted).toString('hex');
  };

  it('leaves lengths of four bytes alone, without a copy', () => {
    const sample = Buffer.from('000000026501', 'hex');
    expect(new LengthPrefixes().convert(sample, 4)).toBe(sample);
  });

  it.each([
    ['lengths of one byte', '026501 0141', 1, '0000000265010000000141'],
    ['lengths of two bytes', '00026501 000141', 2, '0000000265010000000141'],
    ['start codes in place of lengths', '00000001 6501 000001 41', 4, '0000000265010000000141'],
    ['zeros before a start code', '00000001 6501 00 00000001 41', 4, '0000000265010000000141'],
    ['a length beyond the end', '05 6501', 1, null],
    ['a length of 0', '00 6501', 1, null],
    ['half of a length', '00', 2, null],
  ])('%s', (_title, sample, lengthBytes, expected) => {
    expect(hex(sample.replaceAll(' ', ''), lengthBytes)).toBe(expected);
  });

  it('does not split a sample into more NAL units than a picture has', () => {
    const codes = Buffer.alloc(40_000, Buffer.of(0, 0, 1, 0x41));
    expect(new LengthPrefixes().convert(Buffer.concat([Buffer.of(0), codes]), 4)).toBeNull();
    expect(new LengthPrefixes().convert(Buffer.alloc(40_000, Buffer.of(1, 0x41)), 1)).toBeNull();
  });

  it('never throws, and gives lengths that add up', () => {
    const prefixes = new LengthPrefixes();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(1, 2), (sample, lengthBytes) => {
        const converted = prefixes.convert(sample, lengthBytes);
        if (converted === null) return;
        const view = Buffer.from(converted);
        let at = 0;
        while (at < view.length) at += 4 + view.readUInt32BE(at);
        expect(at).toBe(view.length);
      }),
      randomRuns(2_000),
    );
  });
});
