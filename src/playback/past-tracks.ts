/** The tracks in a run's Media Initialization Section. */

import { BoxCursor, fourCc } from '../isobmff/box-reader.ts';
import { type MovieTrack, readMovie } from '../isobmff/movie-reader.ts';
import { singleTrackInit } from '../isobmff/single-track.ts';
import type { RecordedContent } from './past-names.ts';

const MOOV = fourCc('moov');

export interface PastTracks {
  /** As recorded. */
  readonly init: Buffer;
  readonly video: MovieTrack | null;
  readonly audio: MovieTrack | null;
}

/** Fails ISOBMFF_… */
export function readPastTracks(init: Buffer): PastTracks {
  const tracks: MovieTrack[] = [];
  for (const box = new BoxCursor(init, 0, init.length); box.next(); ) {
    if (box.type === MOOV) tracks.push(...readMovie(box.view(box.left)));
  }
  const find = (kind: 'video' | 'audio') => tracks.find(({ track }) => track.kind === kind) ?? null;
  return { init, video: find('video'), audio: find('audio') };
}

/** The ID of the track to extract; null: `content` is the whole recording; undefined: the track does not exist. */
export function trackIdFor(
  { video, audio }: PastTracks,
  content: RecordedContent,
): number | null | undefined {
  if (content === 'recorded') return null;
  if (content === 'audio') return audio?.trackId;
  // Without audio, the recording is the video.
  return audio === null ? null : video?.trackId;
}

/** null: it has no such track. Fails ISOBMFF_… */
export function initFor(tracks: PastTracks, content: RecordedContent): Buffer | null {
  const trackId = trackIdFor(tracks, content);
  if (trackId === undefined) return null;
  return trackId === null ? tracks.init : singleTrackInit(tracks.init, trackId);
}
