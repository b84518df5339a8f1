/** Playlists in the form that tests read. */

import type { LiveBody, Unready } from './live-media.ts';

/** The text of a playlist, or the word for why there is none. */
export function playlistText(body: LiveBody | Unready): string {
  if (typeof body === 'string') return body;
  return 'text' in body ? body.text : 'media';
}
