/**
 * A Media Playlist whose segments and parts are under paths that all viewers of the rendition share, so that a cache in
 * front of the gateway can serve them (docs/design/cdn.md). The init segment stays under the viewer's own path.
 */

/** A name of a segment or part, up to its number. Only our own names and tags are in the text. */
const MEDIA_NAME = /\bseg_(\d+)(?=\.)/g;

/**
 * `folderOf`: where the segment with this number is, relative to the playlist, with a trailing slash; '' for the playlist's
 * own folder.
 */
export function withSharedNames(playlist: string, folderOf: (msn: number) => string): string {
  return playlist.replace(MEDIA_NAME, (name, msn: string) => folderOf(Number(msn)) + name);
}
