/** The tracks in a rendition, and the Media Initialization Section that describes them. */

import { createHash } from 'node:crypto';
import { silentFrame } from '../codec/silent-frame.ts';
import type { AudioTrack, Track, VideoTrack } from '../codec/track.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';

/** The time unit and nominal rate of the frames at which parts are cut. */
export interface Pace {
  readonly timescaleHz: number;
  /** null: the stream does not say. */
  readonly nominalFrameRateHz: number | null;
}

export interface PackagedTracks {
  /** Sets the pace even where only the audio is packaged. null: the source has none. */
  readonly video: VideoTrack | null;
  readonly audio: AudioTrack | null;
  /** A frame of the audio track for gaps in the camera's audio; null without audio. */
  readonly silentFrame: Uint8Array | null;
  /** That of the video; of the audio if the source has only that. */
  readonly pace: Pace;
  /** Positions in the source's list; -1 if there is none. */
  readonly videoIndex: number;
  readonly audioIndex: number;
  readonly init: Buffer;
  /** SHA-256 of `init` as hex: equal for equal parameter sets, also across restarts. */
  readonly fingerprint: string;
  /** False: only the audio is packaged, whether or not the source has video. */
  readonly hasVideo: boolean;
  /** The track ID of the audio in `init`. */
  readonly audioTrackId: number;
  /** Changes exactly when the timeline ends: the fingerprint, and that of the video that sets the pace. */
  readonly continuity: string;
  /** The init segment that viewers get in its place (stream/packaging/live-signing.ts); absent: live video is not signed. */
  readonly signed?: { readonly init: Buffer; readonly fingerprint: string };
}

/** The content of a rendition. Track IDs are positions in the init segment. */
export type PackagedContent = 'video' | 'video-and-audio' | 'audio';

export const VIDEO_TRACK_ID = 1;
const AUDIO_TRACK_ID_AFTER_VIDEO = 2;
/** If the stream does not say. */
const FALLBACK_FRAME_RATE_HZ = 25;

/**
 * The first video track and, if wanted, the first audio track, as far as the source has them; null if it has no wanted
 * track. Audio for which no silent frame can be made is not announced: a pause in it would stop the video.
 */
export function packageTracks(tracks: readonly Track[], content: PackagedContent): PackagedTracks | null {
  const videoIndex = tracks.findIndex((track) => track.kind === 'video');
  const found = tracks[videoIndex];
  const video = found?.kind === 'video' ? found : null;
  const wantedIndex = content !== 'video' ? tracks.findIndex((track) => track.kind === 'audio') : -1;
  const wanted = tracks[wantedIndex];
  const silence = wanted?.kind === 'audio' ? silentFrame(wanted) : null;
  const audio = wanted?.kind === 'audio' && silence !== null ? wanted : null;
  const audioIndex = audio === null ? -1 : wantedIndex;
  const hasVideo = video !== null && content !== 'audio';
  const pace = video ?? (audio === null ? null : paceOf(audio));
  if (pace === null || (audio === null && !hasVideo)) return null;
  const both = writeInitSegment([video, audio].filter((track) => track !== null));
  const init = audio === null || hasVideo ? both : writeInitSegment([audio]);
  const fingerprint = sha256(init);
  const continuity = hasVideo ? fingerprint : sha256(both);
  const audioTrackId = hasVideo ? AUDIO_TRACK_ID_AFTER_VIDEO : 1;
  return {
    video,
    audio,
    silentFrame: silence,
    pace,
    videoIndex,
    audioIndex,
    init,
    fingerprint,
    hasVideo,
    audioTrackId,
    continuity,
  };
}

/** The init segment that viewers get: the signed one, if there is one. */
export function shownInit({ init, fingerprint, signed }: PackagedTracks): {
  readonly init: Buffer;
  readonly fingerprint: string;
} {
  return signed ?? { init, fingerprint };
}

/** How long a frame lasts by what the stream says, in ticks. */
export function nominalFrameTicks({ timescaleHz, nominalFrameRateHz }: Pace): number {
  return Math.max(1, Math.round(timescaleHz / (nominalFrameRateHz ?? FALLBACK_FRAME_RATE_HZ)));
}

function paceOf({ timescaleHz, sampleRateHz, samplesPerFrame }: AudioTrack): Pace {
  return { timescaleHz, nominalFrameRateHz: sampleRateHz / samplesPerFrame };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
