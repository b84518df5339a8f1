import { describe, expect, it } from 'vitest';
import { parseConfig } from './load-config.ts';

const parse = (text: string) => parseConfig(text, 'sluice.yaml', {});

describe('cdnRotation', () => {
  it('is thirty seconds, and the CDN off', () => {
    expect(parse('')).toMatchObject({ cdn: false, cdnRotationMs: 30_000 });
    expect(parse('cdn: true')).toMatchObject({ cdn: true, cdnRotationMs: 30_000 });
  });

  it.each([
    ['cdn: true\nhls: { window: 1m }', '69s'],
    ['cdn: true\ncdnRotation: 20s', '25s'],
    ['cdn: true\nhls: { segmentTarget: 6s, window: 18s }', '35s'],
  ])('must cover what playlists list: %j', (text, needed) => {
    const message = `must be at least ${needed} with hls.window and hls.segmentTarget as they are`;
    const problem = expect.objectContaining({ key: 'cdnRotation', message });
    expect(() => parse(text)).toThrow(expect.objectContaining({ problems: [problem] }));
  });

  it.each([
    'cdn: true\ncdnRotation: 25s',
    'cdn: true\nhls: { segmentTarget: 1s, window: 4s }\ncdnRotation: 11s',
    // Only single shares: their playlists list what fits.
    'hls: { window: 10m }',
  ])('can be %j', (text) => {
    expect(() => parse(text)).not.toThrow();
  });
});
