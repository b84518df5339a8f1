/** The tracks in a rendition, and the Media Initialization Section that describes them. */

import { createHash } from 'node:crypto';
import { silentAacFrame } from '../codec/aac/silent-frame.ts';
import type { AacTrack, H264Track, Track } from '../codec/track.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';

export interface PackagedTracks {
  readonly video: H264Track;
  readonly audio: AacTrack | null;
  /** A frame of the audio track for gaps in the camera's audio; null without audio. */
  readonly silentFrame: Uint8Array | null;
  /** Positions in the source's list; -1 if there is no audio. */
  readonly videoIndex: number;
  readonly audioIndex: number;
  readonly init: Buffer;
  /** SHA-256 of `init` as hex: equal for equal parameter sets, also across restarts. */
  readonly fingerprint: string;
}

export const VIDEO_TRACK_ID = 1;
export const AUDIO_TRACK_ID = 2;

/**
 * The first video track and, if wanted, the first audio track; null without video. Audio for which no silent frame can
 * be made is not announced: a pause in it would stop the video.
 */
export function packageTracks(tracks: readonly Track[], withAudio: boolean): PackagedTracks | null {
  const videoIndex = tracks.findIndex((track) => track.kind === 'video');
  const video = tracks[videoIndex];
  if (video?.kind !== 'video') return null;
  const wantedIndex = withAudio ? tracks.findIndex((track) => track.kind === 'audio') : -1;
  const wanted = tracks[wantedIndex];
  const silentFrame = wanted?.kind === 'audio' ? silentAacFrame(wanted.audioSpecificConfig) : null;
  const audio = wanted?.kind === 'audio' && silentFrame !== null ? wanted : null;
  const audioIndex = audio === null ? -1 : wantedIndex;
  const init = writeInitSegment(audio === null ? [video] : [video, audio]);
  const fingerprint = createHash('sha256').update(init).digest('hex');
  return { video, audio, silentFrame, videoIndex, audioIndex, init, fingerprint };
}
