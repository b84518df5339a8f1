import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { firstSliceType, isRaslPicture } from './access-unit.ts';

const accessUnit = (...nalus: readonly (readonly number[])[]) =>
  Uint8Array.from(nalus.flatMap((nalu) => [0, 0, 0, nalu.length, ...nalu]));
const SEI = [39 << 1, 1, 5, 1, 0x80];

it.each([
  ['an IDR picture after SEI', accessUnit(SEI, [19 << 1, 1, 0xaf]), 19, false],
  ['a RASL picture', accessUnit([9 << 1, 1, 0xaf], [1 << 1, 1, 0x2f]), 9, true],
  ['no slice', accessUnit(SEI), -1, false],
  ['a length beyond the end', Uint8Array.of(0, 0, 1, 0, 39 << 1, 1), -1, false],
  ['nothing', new Uint8Array(0), -1, false],
])('%s', (_name, data, type, isRasl) => {
  expect([firstSliceType(data), isRaslPicture(data)]).toEqual([type, isRasl]);
});

it('is found in anything, or not', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 100 }), (data) => {
    const type = firstSliceType(data);
    expect(type === -1 || type <= 9 || (type >= 16 && type <= 21)).toBe(true);
  });
  fc.assert(property, randomRuns(1_000));
});
