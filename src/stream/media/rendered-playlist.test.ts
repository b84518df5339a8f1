import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LiveWindowBench, NEWEST } from '../window/live-window-fixture.ts';
import type { PlaylistText } from './live-media.ts';
import { RenderedPlaylist } from './rendered-playlist.ts';

const unzipped = (text: string) => gunzipSync(Buffer.from(text, 'latin1')).toString('latin1');

describe('RenderedPlaylist', () => {
  it('is the same text compressed, one byte per character', () => {
    const text = `#EXTM3U\n${Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('')}`;
    const playlist = new RenderedPlaylist(text);
    expect(unzipped(playlist.gzipped())).toBe(text);
    expect(playlist.text).toBe(text);
  });

  it('is compressed once for all viewers, and once for each part', () => {
    const bench = new LiveWindowBench().segments(20);
    const at = (skip: boolean) => bench.window.playlist({ ...NEWEST, skip }) as PlaylistText;
    const before = [at(false), at(true)];
    expect(before[0]).not.toBe(before[1]);
    const texts = before.map((playlist) => playlist.gzipped());
    expect([at(false), at(true)]).toEqual(before);
    // The very same string: nothing is compressed again.
    for (const [index, skip] of [false, true].entries()) expect(at(skip).gzipped()).toBe(texts[index]);
    for (const [index, playlist] of before.entries()) {
      expect(unzipped(texts[index]!)).toBe(playlist.text);
      expect(texts[index]!.length).toBeLessThan(playlist.text.length / 2);
    }
    bench.part({ isSegmentStart: true });
    expect(unzipped(at(false).gzipped())).toBe(bench.text());
    expect(at(false)).not.toBe(before[0]);
  });
});
