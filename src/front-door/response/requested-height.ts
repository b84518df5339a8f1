/**
 * How large a picture a player wants at most: `_ds=h480b480` in the query of a playlist or a manifest, a height in pixels
 * and a bit rate in kbit/s. Clients of the API family send it. The height chooses among the streams that the camera has;
 * nothing is encoded again, so the bit rate changes nothing (docs/design/live-window.md#streams-of-a-height).
 */

const PARAMETER = '_ds';
const VALUE = /^h(\d{1,5})(?:b\d{1,7})?$/;
/** As src/hls/multivariant-playlist.ts writes it. */
const VARIANT = /#EXT-X-STREAM-INF:[^\n]*RESOLUTION=\d+x(\d+)[^\n]*\n[^\n]+\n/g;

/** In pixels; null: the query has no height, or an invalid one. */
export function requestedHeightPx(query: string): number | null {
  if (!query.includes(PARAMETER)) return null;
  const value = new URLSearchParams(query).getAll(PARAMETER).at(-1) ?? '';
  const height = VALUE.exec(value)?.[1];
  return height === undefined ? null : Number(height);
}

/** The part of the query that a redirect keeps, without `?`; '': nothing. */
export function heightQuery(query: string): string {
  const heightPx = requestedHeightPx(query);
  return heightPx === null ? '' : `${PARAMETER}=h${heightPx}`;
}

/** The Multivariant Playlist without variants that are higher; where all are, with the lowest. */
export function variantsWithin(playlist: string, maxHeightPx: number | null): string {
  return maxHeightPx === null ? playlist : withoutHigher(playlist, VARIANT, maxHeightPx);
}

/** `stream`: matches the text of one of the streams; its first group is the height. */
export function withoutHigher(text: string, stream: RegExp, maxHeightPx: number): string {
  const heightsPx = [...text.matchAll(stream)].map(([, height]) => Number(height));
  const limitPx = Math.max(maxHeightPx, Math.min(...heightsPx));
  return text.replaceAll(stream, (all, height: string) => (Number(height) <= limitPx ? all : ''));
}
