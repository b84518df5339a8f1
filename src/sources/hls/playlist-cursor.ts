/** Which segments of a Media Playlist come next. RFC 8216 §6.3.3 and §6.3.4. */

import { GatewayError } from '../../core/errors.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import type { MediaPlaylist, MediaSegment } from './playlist.ts';

/** A client begins at least this many target durations before the end (§6.3.3). */
const START_TARGET_DURATIONS = 3;
/** A source that is further behind than this skips to where it would begin. */
const MAX_BEHIND_TARGET_DURATIONS = 10;
/**
 * Playlists in a row that end before the played position. Caches in front of a server return an old one now and then; a
 * server that restarts its numbering keeps doing it.
 */
const MAX_STALE_PLAYLISTS = 5;
const MIN_RELOAD_MS = 500;
const MAX_RELOAD_MS = 30_000;

export interface PlaylistNews {
  /** In order, none of them taken before. */
  readonly segments: readonly MediaSegment[];
  /** Duration of segments that left the playlist before they could be taken, or were skipped. */
  readonly missedMs: number;
}

export class PlaylistCursor {
  /** null: nothing taken yet. */
  #next: number | null = null;
  #stalePlaylists = 0;
  #hasChanged = true;
  #last: MediaPlaylist | null = null;
  readonly #minBehindMs: number;
  #startedBehindMs = 0;

  /** `minBehindMs`: it begins at least that far before the end, if the playlist has as much. */
  constructor(minBehindMs = 0) {
    this.#minBehindMs = minBehindMs;
  }

  /** How far before the end it began. */
  get startedBehindMs(): number {
    return this.#startedBehindMs;
  }

  /** The media sequence number that the next segment will have; null before the first playlist with segments. */
  get nextSequenceNumber(): number | null {
    return this.#next;
  }

  /** Fails HLS_SEQUENCE_BACK. */
  take(playlist: MediaPlaylist): PlaylistNews {
    const { segments, mediaSequenceNumber: first } = playlist;
    const end = first + segments.length;
    const next = this.#next ?? this.#start(playlist);
    this.#last = playlist;
    this.#hasChanged = end > next;
    if (segments.length === 0 && this.#next === null) return { segments, missedMs: 0 };
    if (end < next) {
      this.#stalePlaylists += 1;
      if (this.#stalePlaylists > MAX_STALE_PLAYLISTS) {
        throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEQUENCE_BACK, { expected: next, listedUntil: end });
      }
      return { segments: [], missedMs: 0 };
    }
    this.#stalePlaylists = 0;
    const from = this.#next === null ? next : this.#caughtUp(playlist, Math.max(next, first));
    const missed = this.#next === null ? 0 : Math.max(0, from - next);
    const news = segments.slice(from - first);
    if (this.#next === null)
      this.#startedBehindMs = news.reduce((sum, { durationMs }) => sum + durationMs, 0);
    this.#next = end;
    return { segments: news, missedMs: missed * playlist.targetDurationMs };
  }

  /** How long after the last request the playlist should be requested again (§6.3.4). */
  get reloadMs(): number {
    const targetMs = this.#last?.targetDurationMs ?? MIN_RELOAD_MS;
    const pauseMs = this.#hasChanged ? targetMs : targetMs / 2;
    return Math.min(MAX_RELOAD_MS, Math.max(MIN_RELOAD_MS, pauseMs));
  }

  #caughtUp(playlist: MediaPlaylist, from: number): number {
    if (playlist.isEnded) return from;
    const start = this.#start(playlist);
    let behindMs = 0;
    for (const { durationMs } of playlist.segments.slice(from - playlist.mediaSequenceNumber)) {
      behindMs += durationMs;
    }
    return behindMs > MAX_BEHIND_TARGET_DURATIONS * playlist.targetDurationMs ? Math.max(from, start) : from;
  }

  /** The beginning of what has ended, or three target durations and `minBehindMs` before the end of what has not. */
  #start({ segments, mediaSequenceNumber, targetDurationMs, isEnded }: MediaPlaylist): number {
    if (isEnded) return mediaSequenceNumber;
    const wantedMs = Math.max(this.#minBehindMs, START_TARGET_DURATIONS * targetDurationMs);
    let index = segments.length;
    let behindMs = 0;
    while (index > 0 && behindMs < wantedMs) {
      index -= 1;
      behindMs += segments[index]!.durationMs;
    }
    return mediaSequenceNumber + index;
  }
}
