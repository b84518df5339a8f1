import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { BitReader } from './bit-reader.ts';
import { BitWriter } from './bit-writer.ts';

describe('BitWriter', () => {
  it('writes the codes of ISO/IEC 14496-10 table 9-2', () => {
    const writer = new BitWriter();
    for (let value = 0; value < 5; value++) writer.expGolomb(value);
    // 1 010 011 00100 00101
    expect([...writer.finish()]).toEqual([0b1010_0110, 0b0100_0010, 0b1000_0000]);
    expect(writer.bitCount).toBe(17);
  });

  it('writes what BitReader reads', () => {
    const field = fc.oneof(
      fc.record({ kind: fc.constant('ue' as const), value: fc.integer({ min: 0, max: 2 ** 31 - 2 }) }),
      fc.record({
        kind: fc.constant('se' as const),
        value: fc.integer({ min: -(2 ** 30) + 1, max: 2 ** 30 - 1 }),
      }),
      fc.record({ kind: fc.constant('bits' as const), value: fc.integer({ min: 0, max: 2 ** 17 - 1 }) }),
    );
    fc.assert(
      fc.property(fc.array(field, { maxLength: 20 }), (fields) => {
        const writer = new BitWriter();
        for (const { kind, value } of fields) {
          if (kind === 'ue') writer.expGolomb(value);
          else if (kind === 'se') writer.signedExpGolomb(value);
          else writer.bits(value, 17);
        }
        const reader = new BitReader(writer.finish());
        for (const { kind, value } of fields) {
          const read = {
            ue: () => reader.expGolomb(),
            se: () => reader.signedExpGolomb(),
            bits: () => reader.bits(17),
          };
          expect(read[kind]()).toBe(value);
        }
        expect(reader.isOverrun).toBe(false);
      }),
      randomRuns(2_000),
    );
  });

  it('continues at whole bytes', () => {
    const writer = new BitWriter();
    writer.bit(0);
    writer.align(1);
    writer.bytes(Uint8Array.of(1, 2));
    writer.bit(1);
    expect([...writer.finish()]).toEqual([0x7f, 1, 2, 0x80]);
  });
});
