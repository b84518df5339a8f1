import { describe, expect, it } from 'vitest';
import { listed } from './hls-fixture.ts';
import type { MediaPlaylist } from './playlist.ts';
import { PlaylistCursor } from './playlist-cursor.ts';

function playlist(first: number, count: number, isEnded = false): MediaPlaylist {
  return {
    kind: 'media',
    targetDurationMs: 1_000,
    segments: Array.from({ length: count }, (_, index) => listed(first + index)),
    mediaSequenceNumber: first,
    isEnded,
    canBlockReload: false,
  };
}

function taken(
  cursor: PlaylistCursor,
  ...of: Parameters<typeof playlist>
): [numbers: number[], missedMs: number] {
  const { segments, missedMs } = cursor.take(playlist(...of));
  return [segments.map(({ mediaSequenceNumber }) => mediaSequenceNumber), missedMs];
}

describe('PlaylistCursor', () => {
  it('begins three target durations before the end, and takes each segment once', () => {
    const cursor = new PlaylistCursor();
    expect(taken(cursor, 100, 6)).toEqual([[103, 104, 105], 0]);
    expect(taken(cursor, 100, 6)).toEqual([[], 0]);
    expect(taken(cursor, 102, 6)).toEqual([[106, 107], 0]);
  });

  it('begins at the beginning of what has ended', () => {
    expect(taken(new PlaylistCursor(), 7, 5, true)).toEqual([[7, 8, 9, 10, 11], 0]);
  });

  it('waits for the first segment', () => {
    const cursor = new PlaylistCursor();
    expect(taken(cursor, 0, 0)).toEqual([[], 0]);
    expect(taken(cursor, 0, 1)).toEqual([[0], 0]);
  });

  it('says how much it missed when segments have left the playlist', () => {
    const cursor = new PlaylistCursor();
    taken(cursor, 0, 3);
    expect(taken(cursor, 5, 3)).toEqual([[5, 6, 7], 2_000]);
  });

  it('skips to where it would begin when it is far behind', () => {
    const cursor = new PlaylistCursor();
    taken(cursor, 0, 3);
    expect(taken(cursor, 0, 30)).toEqual([[27, 28, 29], 24_000]);
  });

  it('passes over old playlists from a cache, but not over a server that begins anew', () => {
    const cursor = new PlaylistCursor();
    taken(cursor, 50, 6);
    expect(taken(cursor, 49, 6)).toEqual([[], 0]);
    expect(taken(cursor, 51, 6)).toEqual([[56], 0]);
    for (let tries = 0; tries < 5; tries++) expect(taken(cursor, tries, 3)).toEqual([[], 0]);
    expect(() => taken(cursor, 5, 3)).toThrow(expect.objectContaining({ code: 'HLS_SEQUENCE_BACK' }));
  });

  it('asks again after a target duration, or after half of one if nothing was new', () => {
    const cursor = new PlaylistCursor();
    taken(cursor, 0, 3);
    expect(cursor.reloadMs).toBe(1_000);
    taken(cursor, 0, 3);
    expect(cursor.reloadMs).toBe(500);
  });
});
