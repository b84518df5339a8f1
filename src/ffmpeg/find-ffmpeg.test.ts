import { describe, expect, it } from 'vitest';
import { parseFfmpegVersion } from './find-ffmpeg.ts';

describe('parseFfmpegVersion', () => {
  it.each([
    [
      'Debian 12',
      'ffmpeg version 5.1.9-0+deb12u1 Copyright (c)\nlibavformat    59. 27.100 / 59. 27.100',
      '5.1.9-0+deb12u1',
      5,
    ],
    [
      'a build from Git',
      'ffmpeg version N-47683-g0e8eb07980-static https://\nlibavformat    58. 20.100',
      'N-47683-g0e8eb07980-static',
      4,
    ],
    ['version 7', 'ffmpeg version n7.1 Copyright\nlibavformat    61.  7.100', 'n7.1', 7],
  ])('reads %s', (_title, output, version, major) => {
    expect(parseFfmpegVersion(output)).toEqual({ version, major });
  });

  it('knows what is not ffmpeg', () => {
    expect(parseFfmpegVersion('avconv version 11')).toBeNull();
    expect(parseFfmpegVersion('ffmpeg version 5')).toBeNull();
  });
});
