import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { readAdts } from './adts.ts';
import { aacTrackOf, buildAudioSpecificConfig, parseAudioSpecificConfig } from './audio-specific-config.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** Bits with spaces between the fields, padded with zeros. */
function bits(text: string): Uint8Array {
  const all = text.replaceAll(' ', '');
  return Uint8Array.from({ length: Math.ceil(all.length / 8) }, (_, at) =>
    Number.parseInt(all.slice(at * 8, at * 8 + 8).padEnd(8, '0'), 2),
  );
}

describe('parseAudioSpecificConfig', () => {
  it.each([
    ['LC 48 kHz stereo', hex('1190'), 2, 48_000, 2, 1_024],
    ['LC 16 kHz mono (Amcrest)', hex('1408'), 2, 16_000, 1, 1_024],
    ['LC 48 kHz mono', hex('1188'), 2, 48_000, 1, 1_024],
    ['LC, frames of 960', hex('1194'), 2, 48_000, 2, 960],
    ['LC, explicit rate', bits('00010 1111 000000000011111010000000 0001 000'), 2, 16_000, 1, 1_024],
    ['explicit SBR: the core is half the rate', hex('2b920800'), 5, 22_050, 2, 1_024],
    ['explicit PS', hex('eb8a0800'), 29, 22_050, 1, 1_024],
    ['SBR signaled after the core', hex('139056e5a0'), 2, 22_050, 2, 1_024],
    ['7.1 channels', bits('00010 0011 0111 000'), 2, 48_000, 8, 1_024],
    [
      'channels from a program config element',
      bits('00010 0011 0000 000 0000 01 0011 0001 0000 0001 01 000 0000 0 0 0 1 0000 0 0001'),
      2,
      48_000,
      4,
      1_024,
    ],
  ])('%s', (_title, bytes, objectType, sampleRateHz, channelCount, samplesPerFrame) => {
    expect(parseAudioSpecificConfig(bytes)).toMatchObject({
      objectType,
      sampleRateHz,
      channelCount,
      samplesPerFrame,
    });
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['one byte', hex('11')],
    ['a reserved rate', bits('00010 1101 0010 000')],
    ['a reserved channel configuration', bits('00010 0011 1000 000')],
    ['no channels at all', bits('00010 0011 0000 000 0000 01 0011 0000 0000 0000 00 000 0000 0 0 0')],
    ['low delay', bits('10111 0011 0010 000')],
    ['enhanced low delay', bits('11111 000111 0011 0010 000')],
    ['truncated SBR', hex('2b92')],
    ['longer than any configuration', new Uint8Array(65).fill(0x11)],
  ])('refuses %s', (_title, bytes) => {
    expect(parseAudioSpecificConfig(bytes)).toBeNull();
  });

  it('returns plausible values or null for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const config = parseAudioSpecificConfig(bytes);
        if (config === null) return;
        expect(config.sampleRateHz).toBeGreaterThan(0);
        expect(config.channelCount).toBeGreaterThan(0);
      }),
      randomRuns(20_000),
    );
  });

  it('reads what it builds', () => {
    expect(Buffer.from(buildAudioSpecificConfig(16_000, 1)).toString('hex')).toBe('1408');
    expect(parseAudioSpecificConfig(buildAudioSpecificConfig(44_100, 2))).toMatchObject({
      sampleRateHz: 44_100,
    });
    expect(() => buildAudioSpecificConfig(12_345, 2)).toThrow(RangeError);
  });

  it('builds a track', () => {
    expect(aacTrackOf(hex('2b920800'))).toMatchObject({ timescaleHz: 22_050, codecString: 'mp4a.40.5' });
    expect(aacTrackOf(hex('11'))).toBeNull();
  });
});

describe('readAdts', () => {
  /** AAC-LC, 48 kHz, mono. */
  function adts(...payloads: string[]): Buffer {
    const frames = payloads.map((payload) => {
      const body = Buffer.from(payload, 'hex');
      const header = Buffer.from('fff14c4000001c', 'hex');
      const length = body.length + 7;
      header[3] = (header[3]! & 0xfc) | (length >> 11);
      header[4] = (length >> 3) & 0xff;
      header[5] = ((length & 7) << 5) | 0x1f;
      return Buffer.concat([header, body]);
    });
    return Buffer.concat(frames);
  }

  it('returns raw frames and their configuration', () => {
    const stream = readAdts(adts('0102', 'aabbcc'))!;
    expect(stream.frames.map((frame) => Buffer.from(frame).toString('hex'))).toEqual(['0102', 'aabbcc']);
    expect([stream.sampleRateHz, stream.channelCount]).toEqual([48_000, 1]);
    expect(Buffer.from(stream.audioSpecificConfig).toString('hex')).toBe('1188');
  });

  it('leaves out a truncated frame', () => {
    const whole = adts('0102', 'aabbcc');
    for (let length = 0; length < whole.length; length++) {
      const frames = readAdts(whole.subarray(0, length))?.frames.length ?? 0;
      expect(frames).toBe(length >= 9 ? 1 : 0);
    }
  });

  it('rejects bytes without a sync word', () => {
    expect(readAdts(Buffer.from('00112233445566778899', 'hex'))).toBeNull();
  });
});
