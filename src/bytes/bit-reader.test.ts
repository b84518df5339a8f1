import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { BitReader } from './bit-reader.ts';

/** `1 010 011 00100` and so on, padded with zeros. */
function bytesOf(bits: string): Uint8Array {
  const text = bits.replaceAll(' ', '');
  const bytes = new Uint8Array(Math.ceil(text.length / 8));
  for (let at = 0; at < text.length; at++) if (text[at] === '1') bytes[at >> 3]! |= 0x80 >> (at & 7);
  return bytes;
}

describe('BitReader', () => {
  it('reads bits across bytes, up to 32 of them', () => {
    const reader = new BitReader(Uint8Array.of(0xab, 0xff, 0xff, 0xff, 0xfc));
    expect([reader.bits(4), reader.bit(), reader.flag()]).toEqual([0xa, 1, false]);
    expect(reader.bits(32)).toBe(0xffff_ffff);
    expect([reader.bits(0), reader.bitsLeft, reader.isOverrun]).toEqual([0, 2, false]);
  });

  it('reads the codes of ISO/IEC 14496-10 table 9-2 and 9-3', () => {
    const codes = '1 010 011 00100 00101 00110 00111 0001000';
    const unsigned = new BitReader(bytesOf(codes));
    expect(Array.from({ length: 8 }, () => unsigned.expGolomb())).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const signed = new BitReader(bytesOf(codes));
    expect(Array.from({ length: 7 }, () => signed.signedExpGolomb())).toEqual([0, 1, -1, 2, -2, 3, -3]);
  });

  it('returns zeros past the end and remembers that', () => {
    const reader = new BitReader(Uint8Array.of(0x80));
    expect([reader.bits(9), reader.isOverrun]).toEqual([0, true]);
    expect([reader.bit(), reader.expGolomb(), reader.bitsLeft]).toEqual([0, 0, 0]);
    const skipping = new BitReader(Uint8Array.of(0x80));
    skipping.skip(9);
    expect(skipping.isOverrun).toBe(true);
  });

  it('rejects codes longer than any syntax element', () => {
    const reader = new BitReader(new Uint8Array(16));
    expect([reader.expGolomb(), reader.isOverrun]).toEqual([0, true]);
  });

  it('reads every unsigned code back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 32 - 2 }), { maxLength: 20 }), (values) => {
        const text = values.map((value) => {
          const binary = (value + 1).toString(2);
          return '0'.repeat(binary.length - 1) + binary;
        });
        const reader = new BitReader(bytesOf(text.join('')));
        expect(values.map(() => reader.expGolomb())).toEqual(values);
      }),
      randomRuns(3_000),
    );
  });
});
