import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { opusSamples, silentOpusPacket } from './opus-packet.ts';

const bytes = (toc: number, ...rest: number[]) => [toc, ...rest];

describe('opusSamples', () => {
  it.each<[string, number[], number]>([
    ['SILK of 10 ms', bytes(0x00), 480],
    ['SILK of 60 ms', bytes(0x18, 1, 2), 2_880],
    ['hybrid of 20 ms', bytes(0x68, 1), 960],
    ['CELT of 2.5 ms', bytes(0x80, 1), 120],
    ['two equal frames', bytes(0xf9, 1, 2), 1_920],
    ['two equal frames of an odd length', bytes(0xf9, 1, 2, 3), 0],
    ['two frames with a size', bytes(0xfa, 1, 7, 8, 9), 1_920],
    ['two frames whose size is beyond the end', bytes(0xfa, 4, 7, 8, 9), 0],
    ['two frames without a size', bytes(0xfa), 0],
    ['two frames with half a size', bytes(0xfa, 252), 0],
    ['three equal frames', bytes(0xfb, 3, 1, 2, 3), 2_880],
    ['three frames that are not equal', bytes(0xfb, 3, 1, 2), 0],
    ['three frames with sizes', bytes(0xfb, 0x83, 1, 2, 1, 2, 2, 3), 2_880],
    ['three frames whose sizes are beyond the end', bytes(0xfb, 0x83, 1, 200, 1), 0],
    ['padding', bytes(0xfb, 0x41, 2, 9, 0, 0), 960],
    ['more padding than bytes', bytes(0xfb, 0x41, 9, 9, 0, 0), 0],
    ['padding without an end', bytes(0xfb, 0x41, 255, 255), 0],
    ['no frame', bytes(0xfb, 0), 0],
    ['a count that is missing', bytes(0xfb), 0],
    ['more than 120 ms', bytes(0xfb, 7), 0],
    ['a frame that is too long', [0xf8, ...Array(1_276).fill(1)], 0],
    ['nothing', [], 0],
  ])('%s (RFC 6716 §3.2, §3.4)', (_title, packet, samples) => {
    const chunk = Uint8Array.from([9, 9, ...packet, 9]);
    expect(opusSamples(chunk, 2, 2 + packet.length)).toBe(samples);
  });

  it('is between 2.5 and 120 ms or 0 for any bytes, and reads none beyond them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 20 }), (packet, after) => {
        const samples = opusSamples(packet, 0, packet.length);
        expect(samples === 0 || (samples >= 120 && samples <= 5_760)).toBe(true);
        const longer = Uint8Array.of(...packet, ...after);
        expect(opusSamples(longer, 0, packet.length)).toBe(samples);
      }),
      randomRuns(20_000),
    );
  });
});

describe('silentOpusPacket', () => {
  it.each([960, 1_920, 2_880, 3_840, 4_800, 5_760])('of %i samples lasts as long', (samples) => {
    for (const channels of [1, 2]) {
      const packet = silentOpusPacket(samples, channels)!;
      expect(opusSamples(packet, 0, packet.length)).toBe(samples);
    }
  });

  it.each([0, 480, 961, 6_720])('of %i samples does not exist', (samples) => {
    expect(silentOpusPacket(samples, 1)).toBeNull();
  });
});
