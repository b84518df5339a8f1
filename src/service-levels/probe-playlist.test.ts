import { describe, expect, it } from 'vitest';
import { type LivePlaylist, readProbePlaylist } from './probe-playlist.ts';

const HEAD = `#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.038,HOLD-BACK=6
#EXT-X-PART-INF:PART-TARGET=0.346
#EXT-X-MEDIA-SEQUENCE:7
`;
const read = (text: string) => readProbePlaylist(text) as LivePlaylist;
const EPOCH_MS = Date.UTC(2026, 0, 1);

describe('a playlist of the gateway', () => {
  it('has parts with their times, the next request and the announced part', () => {
    const playlist = read(`${HEAD}#EXT-X-MAP:URI="seg_init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
#EXTINF:2.000,
seg_7.m4v
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:02.000Z
#EXT-X-PART:DURATION=0.320,URI="seg_8.0.m4v",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.320,URI="seg_8.1.m4v"
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="seg_8.2.m4v"
`);
    const initUri = 'seg_init.mp4';
    expect(playlist.chunks).toEqual([
      { uri: 'seg_7.m4v', epochMs: EPOCH_MS, durationMs: 2_000, isIndependent: true, initUri },
      { uri: 'seg_8.0.m4v', epochMs: EPOCH_MS + 2_000, durationMs: 320, isIndependent: true, initUri },
      { uri: 'seg_8.1.m4v', epochMs: EPOCH_MS + 2_320, durationMs: 320, isIndependent: false, initUri },
    ]);
    expect(playlist).toMatchObject({ next: { msn: 8, part: 2 }, hintUri: 'seg_8.2.m4v', holdBackMs: 1_038 });
  });

  it('leaves out what is marked as absent', () => {
    const playlist = read(`${HEAD}#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
#EXT-X-PART:DURATION=0.346,URI="seg_7.0.m4v",GAP=YES
#EXT-X-GAP
#EXTINF:0.346,
seg_7.m4v
#EXT-X-MAP:URI="seg_init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:01.000Z
#EXT-X-PART:DURATION=0.320,URI="seg_8.0.m4v",INDEPENDENT=YES
`);
    expect(playlist.chunks.map(({ uri }) => uri)).toEqual(['seg_8.0.m4v']);
  });

  it('has segments where there are no parts, at their own distance from the end', () => {
    const playlist = read(`#EXTM3U
#EXT-X-TARGETDURATION:4
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
#EXTINF:4.000,
a.ts
#EXTINF:4.000,
b.ts
`);
    expect(playlist).toMatchObject({ next: null, hintUri: null, holdBackMs: 12_000 });
    expect(playlist.chunks.map(({ epochMs }) => epochMs - EPOCH_MS)).toEqual([0, 4_000]);
  });

  it('names its first variant, and is none otherwise', () => {
    const variants =
      '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\nfile.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=1\nsub/file.m3u8\n';
    expect(readProbePlaylist(variants)).toEqual({ kind: 'multivariant', uri: 'file.m3u8' });
    for (const text of ['', '<html>', '#EXTM3U', '#EXTM3U\n#EXT-X-TARGETDURATION:x\n']) {
      expect(readProbePlaylist(text)).toBeNull();
    }
  });
});
