/**
 * The names in a Media Playlist: bare, relative, permanent. Segments and parts have two extensions for the same
 * bytes: `.m4v`, which clients of this API family expect, and `.mp4`, because ffmpeg 5.1.7, 7.1.1 and later refuse
 * fMP4 segments whose extension is not one of its mov demuxer's (libavformat/hls.c, `extension_picky`).
 */

/** Which extension a playlist uses. */
export type MediaExtension = 'm4v' | 'mp4';

/** The object that a name refers to. */
export type MediaName =
  | { readonly kind: 'init'; readonly name: string }
  | { readonly kind: 'segment'; readonly msn: number }
  | { readonly kind: 'part'; readonly msn: number; readonly part: number };

/** The name that players of this API family expect. */
export const PLAIN_INIT_NAME = 'seg_init.mp4';

/** The two names of a Media Playlist: with segments as `.m4v` for our page and existing clients, as `.mp4` for all others. */
export type MediaPlaylistName = 'file.m3u8' | 'stream.m3u8';

const FINGERPRINT_DIGITS = 8;
const SEGMENT_PATTERN = /^seg_(0|[1-9]\d{0,14})(?:\.(0|[1-9]\d{0,14}))?\.(?:m4v|mp4)$/;
const INIT_PATTERN = /^seg_init(?:_[0-9a-f]{8})?\.mp4$/;

export function playlistName(extension: MediaExtension): MediaPlaylistName {
  return extension === 'm4v' ? 'file.m3u8' : 'stream.m3u8';
}

export function segmentName(msn: number): string {
  return `seg_${msn}.m4v`;
}

export function partName(msn: number, part: number): string {
  return `seg_${msn}.${part}.m4v`;
}

/** A playlist's text with the other extension; it is rendered with `.m4v`. */
export function withExtension(playlist: string, extension: MediaExtension): string {
  return extension === 'm4v' ? playlist : playlist.replaceAll('.m4v', '.mp4');
}

/**
 * `fingerprint`: hex. The one that got the plain name first keeps it across restarts; all others are part of their
 * names.
 */
export function initName(fingerprint: string, plainFingerprint: string): string {
  if (fingerprint === plainFingerprint) return PLAIN_INIT_NAME;
  return `seg_init_${fingerprint.slice(0, FINGERPRINT_DIGITS)}.mp4`;
}

/** null for anything that is not one of our names; numbers have only one spelling. */
export function parseMediaName(name: string): MediaName | null {
  if (INIT_PATTERN.test(name)) return { kind: 'init', name };
  const match = SEGMENT_PATTERN.exec(name);
  if (match === null) return null;
  const msn = Number(match[1]);
  return match[2] === undefined ? { kind: 'segment', msn } : { kind: 'part', msn, part: Number(match[2]) };
}
