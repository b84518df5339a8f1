/**
 * Follows a Media Playlist: requests it again when it is due, and loads its segments in order, not more of them than
 * can wait to be released. RFC 8216 §6.3.
 */

import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { FetchLimits, HttpClient } from '../http/http-client.ts';
import { abortablePause } from './abortable-pause.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import { type MediaPlaylist, type MediaSegment, readPlaylist } from './playlist.ts';
import { PlaylistCursor } from './playlist-cursor.ts';
import type { PlaylistVariables } from './playlist-variables.ts';
import type { SegmentConsumer } from './segment-consumer.ts';
import { SegmentLoader } from './segment-loader.ts';

export const MAX_PLAYLIST_BYTES = 1_048_576;
export const PLAYLIST_LIMITS: FetchLimits = { maxBytes: MAX_PLAYLIST_BYTES, timeoutMs: 8_000 };
/** Loading pauses while more than this waits to be released. */
const MAX_WAITING_TARGET_DURATIONS = 4;
const ROOM_INTERVAL_MS = 100;
/** However short a playlist says its segments are, they are not loaded faster than this: 32 MiB per second. */
const MAX_BYTES_PER_MS = (32 * 1_048_576) / 1_000;
const MIN_SEGMENT_PAUSE_MS = 20;
/** Requests of one segment, and how many segments or playlists in a row may fail. */
const MAX_SEGMENT_TRIES = 2;
const MAX_FAILURES = 3;
const RETRY_PAUSE_MS = 300;
/** Servers hold a request for at most three target durations (RFC 8216bis §6.2.5.2). */
const MAX_BLOCKED_TARGET_DURATIONS = 3;

export interface PullLimits {
  readonly maxSegmentBytes: number;
  /** Loading pauses while more than this waits to be released. */
  readonly maxWaitingBytes: number;
}

/** Segments: 20 s of video at 25 Mbit/s. */
const VIDEO_LIMITS: PullLimits = { maxSegmentBytes: 64 * 1_048_576, maxWaitingBytes: 32 * 1_048_576 };

export interface PlaylistPullOptions {
  readonly client: HttpClient;
  readonly clock: Clock;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Called once, when the first init section or segment is here. Fails for media that the gateway cannot carry. */
  readonly consumerOf: (init: Buffer | null) => Promise<SegmentConsumer>;
  /** The variables of the Multivariant Playlist that named this one, if any. */
  readonly variables: PlaylistVariables;
  /** Default: for video. */
  readonly limits?: PullLimits;
  /** Begins at least that far before the end. */
  readonly minBehindMs?: number;
  /** Frames of segments that could not be loaded are not known: the segments are counted. */
  readonly onLost: (segments: number, code: string) => void;
}

export class PlaylistPull {
  readonly #options: PlaylistPullOptions;
  readonly #loader: SegmentLoader;
  readonly #limits: PullLimits;
  readonly #cursor: PlaylistCursor;
  #url: URL;
  #consumer: SegmentConsumer | null = null;
  #failures = 0;
  #fault: GatewayError | null = null;
  #lastText = '';

  constructor(url: URL, options: PlaylistPullOptions) {
    this.#url = url;
    this.#options = options;
    this.#limits = options.limits ?? VIDEO_LIMITS;
    this.#cursor = new PlaylistCursor(options.minBehindMs);
    this.#loader = new SegmentLoader(options.client, this.#limits.maxSegmentBytes);
  }

  /** How far before the end it began. */
  get startedBehindMs(): number {
    return this.#cursor.startedBehindMs;
  }

  /** Why the newest request failed, which is being tried again; null: it did not. */
  get fault(): GatewayError | null {
    return this.#fault;
  }

  /** `playlist` is the first one if it is known. Ends only by failing: HLS_…, PULL_… and others. */
  async run(first: MediaPlaylist | null): Promise<never> {
    const { clock, signal } = this.#options;
    try {
      let requestedMonoMs = clock.monoMs();
      let playlist = first ?? (await this.#load(null));
      for (;;) {
        const { segments, missedMs } = this.#cursor.take(playlist);
        if (missedMs > 0) this.#lost(missedMs, HLS_SOURCE_ERRORS.HLS_SEGMENT_LOST.code);
        for (const segment of segments) await this.#take(segment, playlist.targetDurationMs);
        if (playlist.isEnded) {
          await this.#consumer?.drained();
          throw new GatewayError(HLS_SOURCE_ERRORS.HLS_ENDED);
        }
        signal.throwIfAborted();
        const blocking = this.#blockingUrl(playlist);
        if (blocking === null) await this.#pause(requestedMonoMs + this.#cursor.reloadMs - clock.monoMs());
        requestedMonoMs = clock.monoMs();
        playlist = await this.#reload(playlist, blocking);
        // A server that does not hold back after all is not asked without pause.
        if (blocking !== null && clock.monoMs() - requestedMonoMs < ROOM_INTERVAL_MS) {
          await this.#pause(ROOM_INTERVAL_MS);
        }
      }
    } finally {
      this.#consumer?.close();
    }
  }

  async #take(segment: MediaSegment, targetDurationMs: number): Promise<void> {
    await this.#room(targetDurationMs);
    if (segment.isGap) {
      this.#lost(segment.durationMs, HLS_SOURCE_ERRORS.HLS_SEGMENT_LOST.code);
      return;
    }
    const loaded = await this.#loadSegment(segment);
    if (loaded === null) return;
    const { init, bytes } = loaded;
    this.#consumer ??= await this.#options.consumerOf(init);
    if (init !== null) this.#consumer.init(init);
    this.#consumer.segment(bytes, segment);
    await this.#pause(Math.max(MIN_SEGMENT_PAUSE_MS, bytes.length / MAX_BYTES_PER_MS));
  }

  /** null: it cannot be loaded, and was counted. */
  async #loadSegment(segment: MediaSegment): Promise<{ init: Buffer | null; bytes: Buffer } | null> {
    for (let tries = 1; ; tries++) {
      try {
        const init = await this.#loader.init(segment);
        const bytes = await this.#loader.segment(segment);
        this.#failures = 0;
        this.#fault = null;
        return { init, bytes };
      } catch (thrown) {
        const error = this.#judged(thrown);
        if (tries < MAX_SEGMENT_TRIES) {
          await this.#pause(RETRY_PAUSE_MS);
          continue;
        }
        this.#failures += 1;
        if (this.#failures >= MAX_FAILURES) throw error;
        this.#lost(segment.durationMs, error.code);
        return null;
      }
    }
  }

  /** Returns an error that another try may heal, and throws any other. */
  #judged(thrown: unknown): GatewayError {
    this.#options.signal.throwIfAborted();
    const error = toGatewayError(thrown);
    const mayHeal = error.kind === 'unavailable' || error.kind === 'timeout' || error.kind === 'peer-refused';
    if (!mayHeal) throw error;
    this.#fault = error;
    return error;
  }

  async #reload(known: MediaPlaylist, blocking: URL | null): Promise<MediaPlaylist> {
    for (let failures = 0; ; ) {
      try {
        const playlist = await this.#load(known, failures === 0 ? blocking : null);
        this.#fault = null;
        return playlist;
      } catch (thrown) {
        const error = this.#judged(thrown);
        failures += 1;
        if (failures >= MAX_FAILURES) throw error;
        await this.#pause(this.#cursor.reloadMs);
      }
    }
  }

  async #load(known: MediaPlaylist | null, blocking: URL | null = null): Promise<MediaPlaylist> {
    const { maxBytes, timeoutMs } = PLAYLIST_LIMITS;
    const blockedMs = blocking === null ? 0 : MAX_BLOCKED_TARGET_DURATIONS * known!.targetDurationMs;
    const limits = { maxBytes, timeoutMs: timeoutMs + blockedMs };
    const { url, body } = await this.#options.client.fetch(blocking ?? this.#url, limits);
    const text = body.toString('utf8');
    // Unchanged playlists are frequent, and may be long.
    if (known !== null && text === this.#lastText) return known;
    const playlist = readPlaylist(text, url, this.#options.variables);
    if (playlist.kind !== 'media') throw new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_INVALID);
    this.#lastText = text;
    return playlist;
  }

  /** RFC 8216bis §6.2.5.2: answered when the playlist has this segment. */
  #blockingUrl({ canBlockReload }: MediaPlaylist): URL | null {
    const next = this.#cursor.nextSequenceNumber;
    if (!canBlockReload || next === null) return null;
    const url = new URL(this.#url);
    url.searchParams.set('_HLS_msn', String(next));
    return url;
  }

  #lost(durationMs: number, code: string): void {
    this.#consumer?.missed(durationMs);
    this.#options.onLost(1, code);
  }

  async #room(targetDurationMs: number): Promise<void> {
    const consumer = this.#consumer;
    if (consumer === null) return;
    const maxMs = MAX_WAITING_TARGET_DURATIONS * targetDurationMs;
    while (consumer.waitingMs > maxMs || consumer.waitingBytes > this.#limits.maxWaitingBytes) {
      await this.#pause(ROOM_INTERVAL_MS);
    }
  }

  #pause(durationMs: number): Promise<void> {
    return abortablePause(this.#options.clock, this.#options.signal, durationMs);
  }
}
