/**
 * Plays recordings from any instant: hour by hour, each a playlist of its own, so that a player never has to
 * read more than an hour's list (docs/design/playback.md). Playback ends when it catches up with the present:
 * live continues there.
 */

import Hls from './hls.js';
import { gatewayEpochMs, type OpenShare, parseRefusal } from './open.ts';
import type { PlayIntent } from './play-intent.ts';
import {
  emptyVideo,
  hasSound,
  type LivePlayer,
  PlaybackWatch,
  type PlayerEnd,
  type PlayerEvents,
} from './playback.ts';
import { type FailedRequest, guardedLoader } from './player.ts';

/** One playlist. All viewers ask for the same ones. */
const BLOCK_SEC = 3_600;
/** What the gateway pulls from a video recorder comes from the start of a playlist on: it starts close to the instant. */
const PULLED_STEP_SEC = 10;
/** Closer to the present, there is soon nothing left to play. */
const CAUGHT_UP_MS = 6_000;
/** A seek ends this close to its target; a video that plays may be further by then. */
const ARRIVED_SEC = 0.05;
const PLAYED_ON_SEC = 2;
const MAX_ATTEMPTS = 8;
/** The list of both streams of a range, between which the player changes, and the folder of what is encoded for it. */
const BOTH_STREAMS = 'index.m3u8';
const MADE_FOLDER = '/h264/';

export interface PastPlayerEvents extends PlayerEvents {
  /** There is nothing left to play before the present, or nothing at all. */
  onCaughtUp(): void;
  /** Where the recording continues at or after the instant, if that is known. */
  nextRecorded(epochMs: number): number;
}

/** The part of hls.js's fragments that is needed here. */
interface Fragment {
  readonly start: number;
  readonly duration: number;
  readonly programDateTime: number | null;
}

export class PastPlayer implements LivePlayer {
  readonly isRecorded = true;
  readonly #video: HTMLVideoElement;
  readonly #pastUrl: string;
  readonly #playlist: string;
  readonly #events: PastPlayerEvents;
  readonly #watch: PlaybackWatch;
  #hls: Hls | null = null;
  #blockSec = Number.NaN;
  #blockEndSec = Number.NaN;
  /** The block is over, and its playlist grows: the gateway pulls it from a video recorder. */
  #isPulled = false;
  #fragments: readonly Fragment[] = [];
  /** Where the video is to go as soon as it can; null: it is there. */
  #targetEpochMs: number | null = null;
  /** Seeks to it so far. */
  #attempts = 0;
  #ended = false;

  constructor(
    video: HTMLVideoElement,
    share: OpenShare,
    intent: PlayIntent,
    events: PastPlayerEvents,
    epochMs: number,
  ) {
    this.#video = video;
    this.#pastUrl = share.pastUrl ?? '';
    this.#playlist = share.pastPlaylist;
    this.#events = events;
    this.#watch = new PlaybackWatch(video, share, intent, events, (reason) =>
      this.#end({ kind: 'lost', reason, retryAfterSec: null }),
    );
    video.addEventListener('ended', this.#onVideoEnded);
    video.addEventListener('seeked', this.#onSeeked);
    video.addEventListener('loadeddata', this.#onSeeked);
    video.addEventListener('timeupdate', this.#onTime);
    this.seek(epochMs);
  }

  /**
   * Seeks to the instant, or to where the recording continues after it. While a seek is pending, only the
   * newest counts.
   */
  seek(epochMs: number): void {
    if (this.#ended) return;
    this.#targetEpochMs = epochMs;
    this.#attempts = 0;
    const atSec = epochMs / 1_000;
    const isInBlock = atSec >= this.#blockSec && atSec < this.#blockEndSec;
    if (!isInBlock) this.#load(blockOf(epochMs, this.#isPulled ? PULLED_STEP_SEC : BLOCK_SEC));
    else if (this.#fragments.length > 0 && !this.#video.seeking) this.#moveToTarget();
  }

  /** Whether the video is where it was to go. */
  get hasArrived(): boolean {
    return this.#targetEpochMs === null;
  }

  behindLiveSec(): number | null {
    const pictureMs = this.pictureEpochMs();
    return pictureMs === null ? null : Math.max(0, gatewayEpochMs() - pictureMs) / 1_000;
  }

  pictureEpochMs(): number | null {
    if (this.#targetEpochMs !== null) return this.#targetEpochMs;
    const { currentTime } = this.#video;
    const fragment = this.#fragments.findLast(({ start }) => start <= currentTime + 0.001);
    if (fragment === undefined || fragment.programDateTime === null) return null;
    return fragment.programDateTime + (currentTime - fragment.start) * 1_000;
  }

  jumpToLive(): void {
    this.#events.onCaughtUp();
  }

  stop(): void {
    this.#release();
    this.#video.playbackRate = 1;
    emptyVideo(this.#video);
  }

  #load(blockSec: number): void {
    this.#hls?.destroy();
    this.#blockSec = blockSec;
    this.#blockEndSec = blockOf(blockSec * 1_000, BLOCK_SEC) + BLOCK_SEC;
    this.#fragments = [];
    const { playbackRate } = this.#video;
    const hls = new Hls({
      autoStartLoad: false,
      enableWorker: false,
      lowLatencyMode: false,
      liveDurationInfinity: false,
      backBufferLength: 30,
      maxBufferLength: 30,
      maxMaxBufferLength: 60,
      capLevelToPlayerSize: true,
      loader: guardedLoader((request) => this.#onBadStatus(hls, request)),
    });
    this.#hls = hls;
    let hasStarted = false;
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      if (this.#hls !== hls || !this.#playlist.startsWith(BOTH_STREAMS)) return;
      if (!this.#playlist.includes('?')) removeMade(hls);
      hls.startLoad();
      // Where the range begins to play is known with its list: until then, nothing of it is fetched. Every start of loading resumes.
      hls.pauseBuffering();
    });
    hls.on(Hls.Events.LEVEL_UPDATED, (_event, { details }) => {
      if (this.#hls !== hls) return;
      this.#fragments = details.fragments;
      this.#isPulled = details.live && this.#blockEndSec * 1_000 < gatewayEpochMs() - CAUGHT_UP_MS;
    });
    hls.on(Hls.Events.LEVEL_LOADED, (_event, { details, level }) => {
      if (this.#hls !== hls || hasStarted) return;
      hasStarted = true;
      this.#fragments = details.fragments;
      this.#isPulled = details.live && this.#blockEndSec * 1_000 < gatewayEpochMs() - CAUGHT_UP_MS;
      const at = this.#secOf(this.#targetEpochMs ?? blockSec * 1_000);
      if (at === null) this.#onBlockEnd();
      else hls.startLoad(at);
      // Lists that grow can differ by a group of pictures after a gap.
      if (details.live) hls.loadLevel = level;
      this.#video.defaultPlaybackRate = playbackRate;
      this.#video.playbackRate = playbackRate;
    });
    hls.on(Hls.Events.BUFFER_CODECS, (_event, tracks) => {
      const muxed = tracks.audiovideo;
      this.#events.onSound(tracks.audio !== undefined || hasSound(muxed?.codec ?? ''));
    });
    hls.on(Hls.Events.ERROR, (_event, error) => {
      if (!error.fatal || this.#hls !== hls) return;
      const isNetwork = error.type === Hls.ErrorTypes.NETWORK_ERROR;
      this.#end({ kind: 'lost', reason: isNetwork ? 'network' : 'stalled', retryAfterSec: null });
    });
    hls.attachMedia(this.#video);
    const durationSec = this.#blockEndSec - blockSec;
    hls.loadSource(`${this.#pastUrl}/${blockSec}/${durationSec}/${this.#playlist}`);
  }

  /** On the video's timeline; null: the block has nothing from then on. */
  #secOf(epochMs: number): number | null {
    const next = this.#fragments.find(
      ({ programDateTime, duration }) => (programDateTime ?? 0) + duration * 1_000 > epochMs,
    );
    if (next === undefined) return null;
    return next.start + Math.max(0, (epochMs - (next.programDateTime ?? epochMs)) / 1_000);
  }

  #moveToTarget(): void {
    if (this.#targetEpochMs === null || this.#fragments.length === 0) return;
    // hls.js first finishes a load that it began: a video without any data is not moved under it.
    if (this.#video.readyState === HTMLMediaElement.HAVE_NOTHING) return;
    const sec = this.#secOf(this.#targetEpochMs);
    if (sec === null) {
      this.#onBlockEnd();
      return;
    }
    this.#attempts++;
    this.#video.currentTime = sec;
  }

  /** hls.js seeks too, to where a block begins to play: the viewer may have moved on by then. */
  #arrive(): void {
    if (this.#targetEpochMs === null || this.#fragments.length === 0) return;
    const sec = this.#secOf(this.#targetEpochMs);
    const awaySec = sec === null ? Number.NaN : this.#video.currentTime - sec;
    const hasArrived = awaySec > -ARRIVED_SEC && awaySec < (this.#video.paused ? ARRIVED_SEC : PLAYED_ON_SEC);
    if (hasArrived || this.#attempts > MAX_ATTEMPTS) this.#targetEpochMs = null;
    else this.#moveToTarget();
  }

  readonly #onSeeked = (): void => this.#arrive();

  readonly #onTime = (): void => {
    const isMoving = !this.#video.paused && !this.#video.seeking;
    if (!isMoving) return;
    if (this.#video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) this.#arrive();
    const pictureMs = this.pictureEpochMs();
    if (pictureMs !== null && gatewayEpochMs() - pictureMs < CAUGHT_UP_MS) this.#events.onCaughtUp();
  };

  readonly #onVideoEnded = (): void => this.#onBlockEnd();

  /** The recording continues in a later hour, or there is none. */
  #onBlockEnd(): void {
    if (this.#isPulled && this.#targetEpochMs !== null) {
      this.#approach(this.#targetEpochMs);
      return;
    }
    // A gap may last for weeks.
    const nextMs = this.#events.nextRecorded(this.#blockEndSec * 1_000);
    if (nextMs > gatewayEpochMs() - CAUGHT_UP_MS) {
      this.#events.onCaughtUp();
      return;
    }
    this.#targetEpochMs = nextMs;
    this.#attempts = 0;
    this.#load(blockOf(nextMs, BLOCK_SEC));
  }

  /** What was pulled does not reach the instant yet: begins close to it, or plays up to it. */
  #approach(epochMs: number): void {
    this.#attempts = 0;
    const startSec = blockOf(epochMs, PULLED_STEP_SEC);
    if (startSec > this.#blockSec) {
      this.#load(startSec);
      return;
    }
    const newest = this.#fragments.at(-1);
    if (newest === undefined) return;
    this.#targetEpochMs = newest.programDateTime;
    this.#hls?.startLoad(newest.start);
  }

  #onBadStatus(hls: Hls, request: FailedRequest): boolean {
    if (this.#hls !== hls) return true;
    const { status } = request;
    const refusal = parseRefusal(status, request.bodyText(), request.retryAfter());
    if (status === 404 && request.isPlaylist) {
      // Nothing was recorded in this hour.
      this.#onBlockEnd();
      return true;
    }
    if (status === 401 || status === 403) {
      this.#end({ kind: 'refused', refusal: refusal.reason === 'unknown' ? null : refusal });
    } else if (status === 503) {
      this.#end({ kind: 'lost', reason: 'busy', retryAfterSec: refusal.retryAfterSec });
    }
    return this.#ended;
  }

  #end(end: PlayerEnd): void {
    if (this.#ended) return;
    this.#hls?.stopLoad();
    this.#ended = true;
    this.#watch.stop();
    this.#events.onEnd(end);
  }

  #release(): void {
    this.#ended = true;
    this.#watch.stop();
    this.#video.removeEventListener('ended', this.#onVideoEnded);
    this.#video.removeEventListener('seeked', this.#onSeeked);
    this.#video.removeEventListener('loadeddata', this.#onSeeked);
    this.#video.removeEventListener('timeupdate', this.#onTime);
    this.#hls?.destroy();
    this.#hls = null;
  }
}

/** What the gateway would have to encode as H.264: this browser plays it as it was recorded. */
function removeMade(hls: Hls): void {
  for (let index = hls.levels.length - 1; index >= 0 && hls.levels.length > 1; index--) {
    if (hls.levels[index]!.uri.includes(MADE_FOLDER)) hls.removeLevel(index);
  }
}

/** Start of the block of this many seconds that an instant is in. */
function blockOf(epochMs: number, sec: number): number {
  return Math.floor(epochMs / 1_000 / sec) * sec;
}

/** Whether this browser plays the past on this page. */
export function canPlayPast(): boolean {
  return Hls.isSupported();
}
