/** What a request URI names: a presentation, and perhaps one of its tracks. RFC 2326 §3.2, §14.2. */

import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';

export interface ServerTarget {
  /** Decoded path of the presentation, with its leading slash and without a trailing one. */
  readonly path: string;
  /** null: all tracks. */
  readonly trackIndex: number | null;
}

/** `a=control` of a track. */
export function trackControl(trackIndex: number): string {
  return `trackID=${trackIndex}`;
}

const MAX_URI_CHARS = 2_048;
const ABSOLUTE = /^rtsps?:\/\/[^/?#]*([^?#]*)/i;
const TRACK = /\/trackID=(\d{1,2})$/;

/** A request URI without its query, its track, and slashes at its end. */
export function presentationBase(uri: string): string {
  const queryAt = uri.search(/[?#]/);
  return withoutTrack(queryAt < 0 ? uri : uri.slice(0, queryAt));
}

/** null: it is not a URI of this server. `*` names no presentation: its path is empty. */
export function serverTarget(uri: string): ServerTarget | null {
  if (uri === '*') return { path: '', trackIndex: null };
  const match = uri.length > MAX_URI_CHARS ? null : ABSOLUTE.exec(uri);
  if (match === null) return null;
  // Clients append the control to the base with a slash of their own.
  const path = withoutTrailingSlashes(match[1]!).replaceAll(/\/{2,}/g, '/');
  const track = TRACK.exec(path);
  return { path: withoutTrack(path), trackIndex: track === null ? null : Number(track[1]) };
}

function withoutTrack(path: string): string {
  const whole = withoutTrailingSlashes(path);
  const track = TRACK.exec(whole);
  return track === null ? whole : withoutTrailingSlashes(whole.slice(0, track.index));
}
