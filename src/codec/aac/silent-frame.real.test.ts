import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseAudioSpecificConfig } from './audio-specific-config.ts';
import { silentAacFrame } from './silent-frame.ts';

const FRAMES = 5;

/** AudioSpecificConfig from bits with spaces between the fields. */
function config(text: string): Uint8Array {
  const all = text.replaceAll(' ', '');
  return Uint8Array.from({ length: Math.ceil(all.length / 8) }, (_, at) =>
    Number.parseInt(all.slice(at * 8, at * 8 + 8).padEnd(8, '0'), 2),
  );
}

/** Frames with ADTS headers (ISO/IEC 14496-3 §1.A.2.2). */
function adts(frame: Uint8Array, profile: number, rateIndex: number, channels: number): Buffer {
  const bytes = frame.length + 7;
  const head = Buffer.from([
    0xff,
    0xf1,
    (profile << 6) | (rateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (bytes >> 11),
    (bytes >> 3) & 0xff,
    ((bytes & 7) << 5) | 0x1f,
    0xfc,
  ]);
  return Buffer.concat(Array.from({ length: FRAMES }, () => Buffer.concat([head, frame])));
}

/** ffmpeg's output for the frames as 16-bit samples, and its complaints. */
function decode(stream: Buffer): { samples: Int16Array; complaints: string } {
  const args = ['-loglevel', 'error', '-f', 'aac', '-i', 'pipe:0', '-f', 's16le', 'pipe:1'];
  const { stdout, stderr } = spawnSync('ffmpeg', args, { input: stream });
  const bytes = new Uint8Array(stdout);
  return { samples: new Int16Array(bytes.buffer, 0, bytes.length >> 1), complaints: stderr.toString() };
}

describe('silentAacFrame', () => {
  it.each([
    ['mono', 1, 1],
    ['stereo', 2, 2],
    ['3.0', 3, 3],
    ['4.0', 4, 4],
    ['5.0', 5, 5],
    ['5.1', 6, 6],
    ['7.1', 7, 8],
  ])('decodes to silence: %s', (_title, configuration, channels) => {
    const rateIndex = 3;
    const asc = config(`00010 0011 ${configuration.toString(2).padStart(4, '0')} 000`);
    const { samples, complaints } = decode(adts(silentAacFrame(asc)!, 1, rateIndex, configuration));
    expect(complaints).toBe('');
    expect(samples.length).toBe(FRAMES * 1_024 * channels);
    expect(samples.every((sample) => sample === 0)).toBe(true);
  });

  it.each([
    ['AAC Main', '00001 1000 0001 000', 0, 8, 1],
    ['AAC LTP', '00100 1000 0001 000', 3, 8, 1],
  ])('decodes for %s', (_title, text, profile, rateIndex, channels) => {
    const { samples, complaints } = decode(adts(silentAacFrame(config(text))!, profile, rateIndex, channels));
    expect([complaints, samples.length]).toEqual(['', FRAMES * 1_024]);
  });

  it('follows a program config element: two pairs and an LFE with the tags it gives them', () => {
    const pce = '0000 01 0011 0001 0000 0001 01 000 0000 0 0 0 1 0010 1 0101 0111';
    const asc = config(`00010 0011 0000 000 ${pce}`);
    expect(parseAudioSpecificConfig(asc)).toMatchObject({
      channelCount: 5,
      elements: [
        { kind: 'pair', tag: 2 },
        { kind: 'pair', tag: 5 },
        { kind: 'lfe', tag: 7 },
      ],
    });
    const bits = Array.from(silentAacFrame(asc)!, (byte) => byte.toString(2).padStart(8, '0')).join('');
    expect(bits.startsWith('0010010')).toBe(true);
  });

  it('is null for an unreadable configuration', () => {
    expect(silentAacFrame(Uint8Array.of(0x11))).toBeNull();
  });
});
