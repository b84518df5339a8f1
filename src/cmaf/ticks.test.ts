import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { convertTicks } from './ticks.ts';

describe('convertTicks', () => {
  it.each([
    [90_000, 90_000, 48_000, 48_000],
    [-45_000, 90_000, 48_000, -24_000],
    [1, 90_000, 48_000, 1],
    [1, 90_000, 8_000, 0],
    [7, 30, 30, 7],
  ])('%i of %i Hz in %i Hz is %i', (ticks, fromHz, toHz, expected) => {
    expect(convertTicks(ticks, fromHz, toHz)).toBe(expected);
  });

  it('is exact to half a tick over centuries', () => {
    const seconds = fc.integer({ min: 0, max: 10_000_000_000 });
    fc.assert(
      fc.property(seconds, fc.nat(89_999), fc.integer({ min: 1, max: 192_000 }), (whole, rest, toHz) => {
        const exact = (BigInt(whole) * 90_000n + BigInt(rest)) * BigInt(toHz) * 2n;
        const off = exact - BigInt(convertTicks(whole * 90_000 + rest, 90_000, toHz)) * 180_000n;
        expect(off >= -90_000n && off <= 90_000n).toBe(true);
      }),
      randomRuns(10_000),
    );
  });
});
