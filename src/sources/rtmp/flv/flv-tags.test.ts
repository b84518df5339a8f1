import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../../test/support/random-runs.ts';
import { AudioTag } from './audio-tag.ts';
import { VideoTag } from './video-tag.ts';

/** Hexadecimal, with text in quotation marks. */
function bytes(text: string): Uint8Array {
  const pieces = text
    .split('"')
    .map((part, i) => Buffer.from(part.replaceAll(' ', ''), i % 2 === 0 ? 'hex' : 'latin1'));
  return Buffer.concat(pieces);
}

function video(text: string): VideoTag {
  const tag = new VideoTag();
  tag.read(bytes(text));
  return tag;
}

function audio(text: string): AudioTag {
  const tag = new AudioTag();
  tag.read(bytes(text));
  return tag;
}

describe('VideoTag', () => {
  it.each([
    ['AVC sequence header', '17 00 000000 01', { codec: 'h264', kind: 'configuration', dataAt: 5 }],
    ['AVC key frame', '17 01 000000 65', { codec: 'h264', kind: 'frame', compositionMs: 0, dataAt: 5 }],
    ['B-frame', '27 01 000050 41', { codec: 'h264', kind: 'frame', compositionMs: 80, dataAt: 5 }],
    ['negative composition time', '27 01 ffffd8 41', { kind: 'frame', compositionMs: -40 }],
    ['end of sequence', '17 02 000000', { kind: 'ignored' }],
    ['command frame', '57 00 000000', { kind: 'ignored' }],
    ['HEVC with the number that recorders use', '1c 00 000000 01', { codec: 'h265', kind: 'configuration' }],
    ['Sorenson H.263', '12 00', { codec: 'other', encoding: 'Sorenson H.263', kind: 'frame' }],
    ['enhanced: sequence start', '90 "hvc1" 01', { codec: 'h265', kind: 'configuration', dataAt: 5 }],
    [
      'enhanced: coded frames',
      '91 "hvc1" 000028 01',
      { codec: 'h265', kind: 'frame', compositionMs: 40, dataAt: 8 },
    ],
    [
      'enhanced: coded frames X',
      'a3 "avc1" 41',
      { codec: 'h264', kind: 'frame', compositionMs: 0, dataAt: 5 },
    ],
    ['enhanced: end of sequence', '92 "avc1"', { kind: 'ignored' }],
    ['enhanced: metadata', '94 "hvc1" 02', { kind: 'ignored' }],
    ['enhanced: multitrack', '96 00 "avc1"', { encoding: 'multitrack', kind: 'ignored' }],
    ['enhanced: AV1', '91 "av01" 00', { codec: 'other', encoding: 'av01', kind: 'frame' }],
    [
      'enhanced: after a modifier of 4 bytes',
      '97 03 00112233 03 "avc1" 41',
      { codec: 'h264', kind: 'frame', dataAt: 11 },
    ],
    ['nothing', '', { kind: 'damaged' }],
    ['AVC without a composition time', '17 01 00', { kind: 'damaged' }],
    ['enhanced without a codec', '91 "hv"', { kind: 'damaged' }],
    ['enhanced without a composition time', '91 "hvc1" 00', { kind: 'damaged' }],
    ['a modifier beyond the end', '97 ff ff', { kind: 'damaged' }],
  ])('%s', (_title, text, expected) => {
    expect(video(text)).toMatchObject(expected);
  });

  it('shows no name that the device made up', () => {
    expect(video('91 "<b>!" 00').encoding).toBe('unknown');
  });

  it('never throws, and its data are within the message', () => {
    const tag = new VideoTag();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (message) => {
        tag.read(message);
        if (tag.kind === 'frame' || tag.kind === 'configuration') {
          if (tag.codec !== 'other') expect(tag.dataAt).toBeLessThanOrEqual(message.length);
        }
        expect(Math.abs(tag.compositionMs)).toBeLessThanOrEqual(2 ** 23);
      }),
      randomRuns(2_000),
    );
  });
});

describe('AudioTag', () => {
  it.each([
    ['AAC configuration', 'af 00 1190', { codec: 'aac', kind: 'configuration', dataAt: 2 }],
    ['AAC frame', 'af 01 21', { codec: 'aac', kind: 'frame', dataAt: 2 }],
    ['G.711 A-law', '72 d5', { codec: 'pcma', kind: 'frame', channelCount: 1, dataAt: 1 }],
    ['G.711 µ-law, stereo', '83 ff', { codec: 'pcmu', kind: 'frame', channelCount: 2, dataAt: 1 }],
    ['MP3', '2f ff', { codec: 'other', encoding: 'MP3', kind: 'frame' }],
    ['Speex', 'b2 00', { codec: 'other', encoding: 'Speex', kind: 'frame' }],
    ['enhanced: AAC configuration', '90 "mp4a" 1190', { codec: 'aac', kind: 'configuration', dataAt: 5 }],
    ['enhanced: AAC frame', '91 "mp4a" 21', { codec: 'aac', kind: 'frame', dataAt: 5 }],
    ['enhanced: Opus', '91 "Opus" 21', { codec: 'other', encoding: 'Opus', kind: 'frame' }],
    ['enhanced: multichannel configuration', '94 "mp4a" 01', { kind: 'ignored' }],
    ['enhanced: multitrack', '95 00', { encoding: 'multitrack', kind: 'ignored' }],
    ['nothing', '', { kind: 'damaged' }],
    ['AAC without its packet type', 'af', { kind: 'damaged' }],
    ['enhanced without a codec', '91 "mp"', { kind: 'damaged' }],
  ])('%s', (_title, text, expected) => {
    expect(audio(text)).toMatchObject(expected);
  });

  it('never throws, and its data are within the message', () => {
    const tag = new AudioTag();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (message) => {
        tag.read(message);
        if (tag.kind === 'frame' || tag.kind === 'configuration') {
          expect(tag.dataAt).toBeLessThanOrEqual(message.length);
        }
      }),
      randomRuns(2_000),
    );
  });
});
