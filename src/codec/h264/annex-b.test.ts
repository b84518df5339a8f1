import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { splitAnnexB } from '../byte-stream.ts';
import { joinAccessUnits } from './annex-b.ts';

const hexOf = (nalus: readonly Uint8Array[]): string[] =>
  nalus.map((nalu) => Buffer.from(nalu).toString('hex'));

describe('splitAnnexB', () => {
  it('finds NAL units after three- and four-byte start codes and drops trailing zeros', () => {
    const stream = Buffer.from('000000016764000001680000000165aabb00', 'hex');
    expect(hexOf(splitAnnexB(stream))).toEqual(['6764', '68', '65aabb']);
  });

  it('finds nothing without a start code', () => {
    expect(splitAnnexB(Buffer.from('6742', 'hex'))).toEqual([]);
    expect(splitAnnexB(Buffer.from('000001', 'hex'))).toEqual([]);
  });

  it('returns what was joined', () => {
    const byte = fc.integer({ min: 1, max: 255 });
    fc.assert(
      fc.property(fc.array(fc.array(byte, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), (nalus) => {
        const stream = Buffer.concat(nalus.map((nalu) => Buffer.from([0, 0, 1, ...nalu])));
        expect(splitAnnexB(stream).map((nalu) => [...nalu])).toEqual(nalus);
      }),
      randomRuns(2_000),
    );
  });
});

describe('joinAccessUnits', () => {
  it('keeps slices together and begins a picture with its parameter sets', () => {
    const nalus = ['6764', '68ee', '6588', '6540', '419a', '4140', '09f0', '419a'].map((text) =>
      Buffer.from(text, 'hex'),
    );
    const units = joinAccessUnits(nalus);
    expect(units.map((unit) => hexOf(unit.nalus))).toEqual([
      ['6764', '68ee', '6588', '6540'],
      ['419a', '4140'],
      ['09f0', '419a'],
    ]);
    expect(units.map((unit) => unit.isKey)).toEqual([true, false, false]);
  });

  it('leaves out NAL units without a picture', () => {
    expect(joinAccessUnits([Buffer.from('6764', 'hex')])).toEqual([]);
  });
});
