import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { opusSamples } from '../../codec/opus/opus-packet.ts';
import { codedSoundOf } from './coded-sound.ts';
import { mpegAudioSamples } from './mpeg-audio.ts';
import { OggOpusWriter } from './ogg-opus.ts';
import { SampleTimes } from './sample-times.ts';

const format = (encoding: string, clockRateHz = 8_000, channelCount = 1) => ({
  payloadType: 97,
  encoding,
  clockRateHz,
  channelCount,
  fmtp: new Map<string, string>(),
});

describe('codedSoundOf', () => {
  it.each([
    ['pcmu', 8_000, 1, 160, 160],
    ['pcma', 16_000, 2, 640, 320],
    ['l16', 44_100, 2, 400, 100],
    ['l8', 8_000, 1, 160, 160],
    ['g726-32', 8_000, 1, 80, 160],
    ['g726-24', 8_000, 1, 60, 160],
    ['g722', 8_000, 1, 160, 320],
  ])('counts samples of %s at %i Hz with %i channels', (encoding, rate, channels, bytes, samples) => {
    const coded = codedSoundOf(format(encoding, rate, channels))!;
    expect(coded.samples(new Uint8Array(bytes), 0, bytes)).toBe(samples);
  });

  it.each([
    ['an encoding that is not supported', format('g729')],
    ['LATM', format('mp4a-latm', 48_000, 2)],
    ['nine channels', format('l16', 48_000, 9)],
    ['an invalid rate', format('pcmu', 999_999_999)],
  ])('refuses %s', (_title, of) => {
    expect(codedSoundOf(of)).toBeNull();
  });
});

describe('opusSamples', () => {
  it.each([
    ['SILK of 10 ms', [0x00], 480],
    ['SILK of 60 ms', [0x18], 2_880],
    ['hybrid of 20 ms', [0x68], 960],
    ['CELT of 2.5 ms', [0x80], 120],
    ['two of 20 ms', [0x79 | 0x80], 1_920],
    ['three of 20 ms by count', [0xfb, 3], 2_880],
    ['a count that is missing', [0xfb], 0],
    ['more than 120 ms', [0xfb, 63], 0],
    ['nothing', [], 0],
  ])('%s', (_title, bytes, samples) => {
    expect(opusSamples(Uint8Array.from(bytes), 0, bytes.length)).toBe(samples);
  });
});

describe('OggOpusWriter', () => {
  it('writes the headers once, and packets of any length whole', () => {
    const writer = new OggOpusWriter(2);
    const first = writer.write(Uint8Array.of(0xfc, 1, 2), 0, 3);
    expect(first.indexOf('OpusHead')).toBeGreaterThan(0);
    for (const length of [1, 254, 255, 256, 510, 65_000]) {
      const page = writer.write(new Uint8Array(length).fill(0xfc), 0, length);
      const segments = page[26]!;
      const bytes = page.subarray(27, 27 + segments).reduce((sum, lacing) => sum + lacing, 0);
      expect([page.toString('latin1', 0, 4), bytes, page.length]).toEqual([
        'OggS',
        length,
        27 + segments + length,
      ]);
    }
    expect(writer.write(new Uint8Array(70_000), 0, 70_000)).toHaveLength(0);
  });
});

describe('mpegAudioSamples', () => {
  /** Headers of 48 kHz layer II of 64 kbit/s, and of 24 kHz layer III of 32 kbit/s. */
  const LAYER_2 = [0xff, 0xfd, 0x44, 0xc0];
  const LAYER_3 = [0xff, 0xf3, 0x44, 0xc0];

  it.each([
    ['a layer II frame', LAYER_2, 192, 1, 1_152],
    ['two layer II frames', LAYER_2, 192, 2, 2_304],
    ['a frame with half the rate', LAYER_3, 96, 1, 1_152],
    ['not a header', [1, 2, 3, 4], 192, 1, 0],
  ])('%s', (_title, header, frameBytes, frames, samples) => {
    const bytes = new Uint8Array(frameBytes * frames);
    for (let at = 0; at < bytes.length; at += frameBytes) bytes.set(header, at);
    expect(mpegAudioSamples(bytes, 0, bytes.length, 48_000)).toBe(samples);
  });

  it('ends for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const samples = mpegAudioSamples(bytes, 0, bytes.length, 48_000);
        expect(Number.isFinite(samples) && samples >= 0).toBe(true);
      }),
      randomRuns(3_000),
    );
  });
});

describe('SampleTimes', () => {
  it('follows payloads, and does not count a pause as samples', () => {
    const times = new SampleTimes(8_000);
    expect(times.msAt(0)).toBeNull();
    for (let index = 0; index < 50; index++) times.put(160, 7_000 + index * 20);
    for (let index = 0; index < 50; index++) times.put(160, 60_000 + index * 20);
    expect(times.msAt(-0.02)).toBeCloseTo(6_980, 6);
    expect(times.msAt(0.5)).toBeCloseTo(7_500, 6);
    expect(times.msAt(1)).toBeCloseTo(60_000, 6);
    expect(times.msAt(1.5)).toBeCloseTo(60_500, 6);
  });

  it('does not drift when clocks run apart, and stores a limited number of times', () => {
    const times = new SampleTimes(8_000);
    // The camera's clock is 1% fast; no time is requested meanwhile.
    for (let index = 0; index < 100_000; index++) times.put(160, index * 20.2);
    const lastSec = (100_000 * 160) / 8_000;
    expect(Math.abs(times.msAt(lastSec)! - 100_000 * 20.2)).toBeLessThan(6);
  });
});
