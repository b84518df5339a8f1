import { describe, expect, it } from 'vitest';
import { aacLoudness } from './loudness.ts';

/** Groups of bits as they are in the standard's tables, and zeros after them. */
function frame(...fields: string[]): Uint8Array {
  const bits = fields.join('').replaceAll(' ', '');
  const bytes = new Uint8Array(Math.ceil(bits.length / 8) + 4);
  for (const [at, bit] of [...bits].entries()) bytes[at >> 3]! |= Number(bit) << (7 - (at & 7));
  return bytes;
}

const GAIN = '10010110';
const SINGLE = '000 0000';
const PAIR = '001 0000';

describe('aacLoudness', () => {
  it.each([
    ['one channel', frame(SINGLE, GAIN)],
    ['two channels, each with its own window', frame(PAIR, '0', GAIN)],
    ['two channels with one long window', frame(PAIR, '1', '0 00 1', '101000', '0', '00', GAIN)],
    ['middle and side in all bands', frame(PAIR, '1', '0 00 1', '101000', '0', '10', GAIN)],
    ['middle and side in some of 3 bands', frame(PAIR, '1', '0 00 1', '000011', '0', '01', '101', GAIN)],
    [
      'short windows in 3 groups, middle and side in some of 2 bands',
      frame(PAIR, '1', '0 10 1', '0010', '1101111', '01', '10 01', GAIN),
    ],
    ['short windows in 8 groups', frame(PAIR, '1', '0 10 1', '0010', '0000000', '00', GAIN)],
  ])('reads the gain of %s', (_title, bytes) => {
    expect(aacLoudness(bytes)).toBe(0b10010110);
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['one channel without its gain', Uint8Array.of(0)],
    ['a frame that begins with a data stream', frame('100 0000', GAIN)],
    ['a pair that ends in its window', Uint8Array.of(0b001_0000_1, 0)],
  ])('knows nothing of %s', (_title, bytes) => {
    expect(aacLoudness(bytes)).toBeNull();
  });
});
