import { describe, expect, it } from 'vitest';
import { type MultivariantPlaylist, readPlaylist } from './playlist.ts';
import { chosenVariant } from './variant-choice.ts';

const BASE = new URL('https://cam.example/x.m3u8');

/** Paths of the main stream and the substream. */
function chosen(lines: readonly string[]): string[] {
  const text = lines.map((line, index) => `#EXT-X-STREAM-INF:${line}\n${index}\n`).join('');
  const playlist = readPlaylist(`#EXTM3U\n${text}`, BASE) as MultivariantPlaylist;
  return (['largest', 'smallest'] as const).map((size) =>
    chosenVariant(playlist, size).url.pathname.slice(1),
  );
}

describe('of several variants', () => {
  it.each([
    [
      'the largest and the smallest picture',
      ['BANDWIDTH=9,RESOLUTION=640x360', 'BANDWIDTH=5,RESOLUTION=1920x1080'],
      ['1', '0'],
    ],
    [
      'the most and the least bandwidth, of the same size',
      ['BANDWIDTH=3', 'BANDWIDTH=1', 'BANDWIDTH=2'],
      ['0', '1'],
    ],
    [
      'H.264 rather than H.265 of the same size',
      [
        'BANDWIDTH=2,RESOLUTION=640x360,CODECS="hvc1.1.6.L93.B0"',
        'BANDWIDTH=4,RESOLUTION=640x360,CODECS="avc1.64001e"',
      ],
      ['1', '1'],
    ],
    [
      'H.265 where it shows more',
      [
        'BANDWIDTH=2,RESOLUTION=3840x2160,CODECS="hvc1.2.4.L153,mp4a.40.2"',
        'BANDWIDTH=4,RESOLUTION=640x360,CODECS="avc1.64001e"',
      ],
      ['0', '1'],
    ],
    [
      'no variant without pictures, and none that needs a worker',
      [
        'BANDWIDTH=1,CODECS="mp4a.40.2"',
        'BANDWIDTH=9,RESOLUTION=640x360,CODECS="av01.0.04M.08"',
        'BANDWIDTH=5,CODECS="avc1.64001e"',
      ],
      ['2', '2'],
    ],
    ['one that needs a worker, if there is no other', ['BANDWIDTH=1,CODECS="av01.0.04M.08"'], ['0', '0']],
  ])('main and substream get %s', (_title, lines, expected) => {
    expect(chosen(lines)).toEqual(expected);
  });

  it('one must exist', () => {
    const playlist = { kind: 'multivariant', variants: [], variables: new Map() } as const;
    expect(() => chosenVariant(playlist, 'largest')).toThrow(
      expect.objectContaining({ code: 'HLS_NO_VIDEO' }),
    );
  });
});
