import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { derAt, derChildren, derOf, derTimeMs, oidHex } from './der.ts';
import { checkTimeStamp, nonceOf } from './time-stamp.ts';

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

describe('a value in DER', () => {
  it.each([0, 1, 127, 128, 255, 256, 65_535])('of %i bytes is read as it was written', (length) => {
    const content = new Uint8Array(length).fill(7);
    const written = derOf(0x04, content);
    const read = derAt(Buffer.concat([bytesOf('0500'), written, bytesOf('0500')]), 2);
    expect([read.tag, read.content.length, read.end]).toEqual([0x04, length, 2 + written.length]);
    expect(Buffer.from(read.bytes).equals(written)).toBe(true);
  });

  it('has the values that it consists of, in their order', () => {
    const all = derChildren({ content: bytesOf('020101' + '06032a0304' + '0500') });
    expect(all.map(({ tag }) => tag)).toEqual([0x02, 0x06, 0x05]);
    expect(oidHex(all[1]!)).toBe('2a0304');
  });

  it.each(['', '04', '0402', '040201', '0482', '04820001', '3003020101'.slice(0, 8)])(
    'that is cut off (%s) is refused',
    (hex) => {
      expect(() => derAt(bytesOf(hex), 0)).toThrow(RangeError);
    },
  );

  it.each([
    [0x17, '260101000000Z', Date.UTC(2026, 0, 1)],
    [0x17, '991231235959Z', Date.UTC(1999, 11, 31, 23, 59, 59)],
    [0x18, '20260101000000Z', Date.UTC(2026, 0, 1)],
    [0x18, '20260101000000.25Z', Date.UTC(2026, 0, 1) + 250],
    [0x18, '2026-01-01', null],
  ])('with the tag %i is the time %s', (tag, text, expected) => {
    expect(derTimeMs(derAt(derOf(tag, Buffer.from(text)), 0))).toBe(expected);
  });
});

describe('something else than a time stamp', () => {
  it('is called changed, whatever it is', async () => {
    const anyBytes = fc.uint8Array({ maxLength: 200 });
    const nested = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 255 }), anyBytes), { maxLength: 5 })
      .map((parts) =>
        derOf(0x30, derOf(0x30, bytesOf('020100')), ...parts.map(([tag, content]) => derOf(tag, content))),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, nested), async (bytes) => {
        const before = Uint8Array.from(bytes);
        expect(await checkTimeStamp(bytes, Buffer.from('x'))).toEqual({
          state: 'changed',
          atMs: null,
          authority: null,
          fingerprint: null,
        });
        expect(bytes).toEqual(before);
        expect(() => nonceOf(bytes)).toThrow(Error);
      }),
      randomRuns(300),
    );
  });
});
