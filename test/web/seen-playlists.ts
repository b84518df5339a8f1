/** The Media Playlists that a page gets, as text. */

import type { Page } from 'playwright-core';
import { type PlaylistText, readPlaylistText } from '../support/playlist-text.ts';

/** Those from now on, in order, into the array that it returns. */
export function playlistsOf(page: Page): PlaylistText[] {
  const playlists: PlaylistText[] = [];
  page.on('response', (response) => {
    if (response.status() !== 200 || !/\.m3u8$/.test(new URL(response.url()).pathname)) return;
    void response
      .text()
      .then((text) => {
        if (text.includes('#EXT-X-PRELOAD-HINT')) playlists.push(readPlaylistText(text));
      })
      // The page has left, or canceled the request.
      .catch(() => undefined);
  });
  return playlists;
}
