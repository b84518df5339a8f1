/** The tracks that go into a rendition, and the Media Initialization Section that describes them. */

import { createHash } from 'node:crypto';
import type { AacTrack, H264Track, Track } from '../codec/track.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';

export interface PackagedTracks {
  readonly video: H264Track;
  readonly audio: AacTrack | null;
  /** Positions in the source's list; -1 when there is no audio. */
  readonly videoIndex: number;
  readonly audioIndex: number;
  readonly init: Buffer;
  /** SHA-256 of `init` as hex: equal for equal parameter sets, over restarts too. */
  readonly fingerprint: string;
}

export const VIDEO_TRACK_ID = 1;
export const AUDIO_TRACK_ID = 2;

/** The first video track and, when wanted, the first audio track; null without video. */
export function packageTracks(tracks: readonly Track[], withAudio: boolean): PackagedTracks | null {
  const videoIndex = tracks.findIndex((track) => track.kind === 'video');
  const audioIndex = withAudio ? tracks.findIndex((track) => track.kind === 'audio') : -1;
  const video = tracks[videoIndex];
  const audio = tracks[audioIndex] ?? null;
  if (video?.kind !== 'video' || (audio !== null && audio.kind !== 'audio')) return null;
  const init = writeInitSegment(audio === null ? [video] : [video, audio]);
  const fingerprint = createHash('sha256').update(init).digest('hex');
  return { video, audio, videoIndex, audioIndex, init, fingerprint };
}
