/** Finds the tracks of the session description in a recording, and their frames. */

import type { CodedTrack } from '../../codec/track.ts';
import { writeReplayExtension } from '../../rtp/replay-extension.ts';
import type { ReplayOrder } from '../../rtsp/server/server-session.ts';
import type { SentFrame } from './rtsp-feed.ts';
import type { ReplayedUnit } from './rtsp-replay.ts';
import { type SentTrack, sentTracks } from './sent-track.ts';

const MS_PER_SEC = 1_000;

/** A recorded track, and the track of the camera that it plays as. */
interface Match {
  readonly recorded: SentTrack;
  readonly played: SentTrack;
}

export class ReplayTracks {
  readonly #played: () => readonly SentTrack[];
  /** By the index of the recorded tracks. */
  #matches: readonly (Match | undefined)[] = [];

  /** `played`: those that the client set up. */
  constructor(played: () => readonly SentTrack[]) {
    this.#played = played;
  }

  /** False: the client would not understand the recording's video, or its audio if there is nothing else. */
  set(tracks: readonly CodedTrack[]): boolean {
    const played = this.#played();
    const recorded = sentTracks(tracks.map((track) => asPlayed(track, played)));
    this.#matches = tracks.map((_, index) => {
      const own = recorded.find(({ trackIndex }) => trackIndex === index);
      const other = played.find(({ name }) => name === own?.name);
      return own === undefined || other === undefined ? undefined : { recorded: own, played: other };
    });
    const matched = this.#matches.flatMap((match) => (match === undefined ? [] : [match.played.kind]));
    return matched.includes(played.some(({ kind }) => kind === 'video') ? 'video' : 'audio');
  }

  /** null: the client does not want its track, or it cannot be sent. */
  frameOf(
    { unit, epochMs, isAfterGap }: ReplayedUnit,
    { fromMs, hasExtensions, cseq }: ReplayOrder,
  ): SentFrame | null {
    const match = this.#matches[unit.trackIndex];
    if (match === undefined) return null;
    const { recorded, played } = match;
    const { isKey } = unit;
    const extension = hasExtensions ? writeReplayExtension({ epochMs, isKey, isAfterGap, cseq }) : undefined;
    const packets = recorded.packets(unit, extension);
    if (packets === null) return null;
    const mediaMs = epochMs - fromMs;
    const ticks = Math.round((mediaMs * played.media.clockRateHz) / MS_PER_SEC);
    return { track: played, packets, ticks, mediaMs, isKey: isKey && recorded.kind === 'video' };
  }
}

/** Files do not say what FLAC was made of: the same as the camera's now, if the rest is the same. */
function asPlayed(track: CodedTrack, played: readonly SentTrack[]): CodedTrack {
  if (track.codec !== 'flac') return track;
  const encoding = played.find(({ kind }) => kind === 'audio')?.media.encoding.toLowerCase();
  return encoding === 'pcmu' || encoding === 'pcma' ? { ...track, madeOf: encoding } : track;
}
