/** What every player of the page shares: what it tells its owner, and how it watches over a video element. */

import type { Refusal } from './open.ts';

export type LossReason = 'camera-offline' | 'busy' | 'restarting' | 'network' | 'stalled';

/** Why a player stopped before it was told to. */
export type PlayerEnd =
  /** The viewer is not allowed any more. `refusal` is null when the answer did not say why. */
  | { readonly kind: 'refused'; readonly refusal: Refusal | null }
  | { readonly kind: 'lost'; readonly reason: LossReason; readonly retryAfterSec: number | null }
  /** The browser has no decoder for this video. */
  | { readonly kind: 'unplayable' };

export interface PlayerEvents {
  /** The first picture is on the screen. */
  onPicture(): void;
  /** Whether the stream has sound, once it is known. */
  onSound(hasSound: boolean): void;
  /** The browser wants a tap before it plays. */
  onBlocked(): void;
  /** Called at most once, and never after `stop`. The player has let go of the network but not of the picture. */
  onEnd(end: PlayerEnd): void;
}

export interface LivePlayer {
  /** Seconds between the picture and the live edge beyond what the stream is meant to lag; null when not known yet. */
  behindLiveSec(): number | null;
  /** When the picture on the screen was taken, by the gateway's clock; null when the stream does not say. */
  pictureEpochMs(): number | null;
  jumpToLive(): void;
  /** Ends playback at once and empties the video element: nothing buffered goes on. Idempotent. */
  stop(): void;
}

/** Without progress for this long, a player that should be playing is given up. */
const STALL_LIMIT_MS = 8_000;
const WATCH_INTERVAL_MS = 1_000;

/** Reports the first picture, and a playback that should move and does not. */
export class PlaybackWatch {
  readonly #video: HTMLVideoElement;
  readonly #events: PlayerEvents;
  readonly #onStalled: () => void;
  readonly #timer: number;
  #hasPicture = false;
  #lastTimeSec = -1;
  #movedAtMs = performance.now();

  constructor(video: HTMLVideoElement, events: PlayerEvents, onStalled: () => void) {
    this.#video = video;
    this.#events = events;
    this.#onStalled = onStalled;
    this.#timer = setInterval(() => this.#check(), WATCH_INTERVAL_MS);
    video.addEventListener('loadeddata', this.#onData);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#video.removeEventListener('loadeddata', this.#onData);
  }

  readonly #onData = (): void => {
    if (this.#hasPicture) return;
    this.#hasPicture = true;
    this.#events.onPicture();
  };

  /** Before the first picture the owner watches, for a camera may take long to wake; a hidden page is throttled. */
  #check(): void {
    const { currentTime, paused } = this.#video;
    const isExpectedToMove = this.#hasPicture && !paused && document.visibilityState === 'visible';
    if (!isExpectedToMove || currentTime !== this.#lastTimeSec) {
      this.#lastTimeSec = currentTime;
      this.#movedAtMs = performance.now();
    } else if (performance.now() - this.#movedAtMs > STALL_LIMIT_MS) {
      this.#onStalled();
    }
  }
}

/** Starts to play: with sound when it may, else muted, else says that a tap is needed. */
export function play(video: HTMLVideoElement, events: PlayerEvents): void {
  video.play().catch((error: unknown) => {
    // AbortError: another load or a pause overtook this one, which its cause deals with
    if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
    if (video.muted) {
      events.onBlocked();
    } else {
      video.muted = true; // without sound most browsers do play
      play(video, events);
    }
  });
}

/** Stops at once and lets go of everything buffered. */
export function emptyVideo(video: HTMLVideoElement): void {
  video.pause();
  video.removeAttribute('src');
  for (const source of video.querySelectorAll('source')) source.remove();
  video.load();
}
