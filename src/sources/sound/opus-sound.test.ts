import { describe, expect, it } from 'vitest';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { isOpus, OpusSound } from './opus-sound.ts';

function setup(fmtp: Record<string, string> = {}) {
  const ticks: number[] = [];
  const format: MediaFormat = {
    payloadType: 96,
    encoding: 'opus',
    clockRateHz: 48_000,
    channelCount: 2,
    fmtp: new Map(Object.entries(fmtp)),
  };
  const sound = new OpusSound(format, { onUnit: (at) => ticks.push(at), onWaiting: () => undefined });
  const push = (packet: readonly number[], at: number): void =>
    sound.push(Uint8Array.from(packet), 0, packet.length, at);
  return { ticks, sound, push, format };
}

/** TOC and a byte: 10 ms of CELT, 20 ms, twice 20 ms, and 60 ms of SILK. */
const [CELT_10, CELT_20, TWICE_20, SILK_60] = [
  [0xf0, 1],
  [0xf8, 1],
  [0xf9, 1, 1],
  [0x18, 1],
];

describe('OpusSound', () => {
  it('packets whose duration changes follow each other', () => {
    const { ticks, push } = setup();
    let at = 1_000;
    const expected: number[] = [];
    for (const [packet, samples] of [
      [CELT_20!, 960],
      [TWICE_20!, 1_920],
      [SILK_60!, 2_880],
      [CELT_10!, 480],
      [CELT_20!, 960],
    ] as const) {
      push(packet, at);
      expected.push(at);
      at += samples;
    }
    expect(ticks).toEqual(expected);
  });

  it('uneven timestamps are evened out, and a pause is a pause', () => {
    const { ticks, push } = setup();
    for (let index = 0; index < 50; index++) push(CELT_20!, index * 960 + (index % 2) * 200);
    for (let index = 1; index < 50; index++)
      expect(Math.abs(ticks[index]! - ticks[index - 1]! - 960)).toBeLessThan(2);
    push(CELT_20!, 480_000);
    expect(ticks.at(-1)).toBe(480_000);
  });

  it('what no decoder takes is left out, and so is what comes after the end', async () => {
    const { ticks, sound, push } = setup();
    push([0xfb], 0);
    push([0xf9, 1, 1, 1], 960);
    expect(ticks).toEqual([]);
    push(CELT_20!, 1_920);
    sound.gap();
    await sound.close();
    push(CELT_20!, 2_880);
    expect(ticks).toEqual([1_920]);
  });

  it('the description says how many channels are heard (RFC 7587 §7)', () => {
    expect(setup().sound.track.channelCount).toBe(2);
    expect(setup({ 'sprop-stereo': '1' }).sound.track.channelCount).toBe(2);
    expect(setup({ 'sprop-stereo': '0' }).sound.track.channelCount).toBe(1);
  });

  it('surround sound and other clocks are something else', () => {
    const { format } = setup();
    expect(isOpus(format)).toBe(true);
    expect(isOpus({ ...format, encoding: 'multiopus', channelCount: 6 })).toBe(false);
    expect(isOpus({ ...format, clockRateHz: 16_000 })).toBe(false);
  });
});
