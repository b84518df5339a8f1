/**
 * Types and functions that all players on the page share: their reports to their owner, and how they watch a
 * video element.
 */

import { isAsking, listen, silentMs } from './gateway-silence.ts';
import type { OpenShare, Refusal } from './open.ts';
import type { PlayIntent } from './play-intent.ts';

/** `unanswered`: the gateway accepts requests, or the network drops them, and no answer comes. */
export type LossReason = 'camera-offline' | 'busy' | 'restarting' | 'network' | 'stalled' | 'unanswered';

/** Why real time does not work: no connection for it, frames that the browser cannot decode, a network that is too slow. */
export type RealTimeObstacle = 'no-connection' | 'undecodable' | 'slow' | 'no-picture';

/** Why a player stopped on its own. */
export type PlayerEnd =
  /** The viewer is no longer allowed. `refusal` is null if the response gave no reason. */
  | { readonly kind: 'refused'; readonly refusal: Refusal | null }
  | {
      readonly kind: 'lost';
      readonly reason: LossReason;
      readonly retryAfterSec: number | null;
      /** As in Refusal. */
      readonly nextTryEpochMs?: number | undefined;
    }
  /** The browser has no decoder for this video. */
  | { readonly kind: 'unplayable' };

/**
 * What the signatures of live video say. `changed` stays: something was changed since playback began. `unchecked`: this browser
 * cannot check them.
 */
export type LiveProofState =
  | { readonly kind: 'signed'; readonly signer: string }
  | { readonly kind: 'unsigned' | 'changed' | 'unchecked' };

export interface PlayerEvents {
  /** The first frame is on the screen. */
  onPicture(): void;
  /** Whether the stream has audio, once it is known. */
  onSound(hasSound: boolean): void;
  /** Whether someone talks to people at the camera; only where that is known. */
  onTalk?(isTalking: boolean): void;
  /** Whether live video is as it was signed; only where signatures are expected. null: it no longer plays. */
  onProof?(proof: LiveProofState | null): void;
  /** Called at most once, and never after `stop`. The player has released the network but not the video. */
  onEnd(end: PlayerEnd): void;
}

export interface LivePlayer {
  /** It plays a recording, which continues where it was after a pause. Absent: it plays live. */
  readonly isRecorded?: true;
  /** Seconds between the video and the live edge beyond the stream's intended delay; null if unknown yet. */
  behindLiveSec(): number | null;
  /** When the frame on the screen was taken, by the gateway's clock; null if the stream does not say. */
  pictureEpochMs(): number | null;
  jumpToLive(): void;
  /** Ends playback immediately and empties the video element: nothing buffered keeps playing. Idempotent. */
  stop(): void;
}

/** A player that should be playing but makes no progress for this long is given up. */
const STALL_LIMIT_MS = 8_000;
const WATCH_INTERVAL_MS = 1_000;
/** The same, if the gateway does not answer either. */
const UNRESPONSE_LIMIT_MS = 1_500;

/** Reports the first frame, and a video that should move, or show its first frame, and does not, or whose gateway is silent. */
export class PlaybackWatch {
  readonly #video: HTMLVideoElement;
  readonly #intent: PlayIntent;
  readonly #events: PlayerEvents;
  readonly #statusUrl: string;
  readonly #progress: () => number;
  readonly #onStill: (reason: 'stalled' | 'unanswered') => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #hasPicture = false;
  #isPictureDue = false;
  #lastProgress = -1;
  #movedAtMs = performance.now();

  /**
   * `onStill`: called every second from then on, until `stop`. `progress`: differs while frames come, because the time of a
   * MediaStream passes without any.
   */
  constructor(
    video: HTMLVideoElement,
    share: Pick<OpenShare, 'statusUrl'>,
    intent: PlayIntent,
    events: PlayerEvents,
    onStill: (reason: 'stalled' | 'unanswered') => void,
    progress: () => number = () => video.currentTime,
  ) {
    this.#progress = progress;
    this.#video = video;
    this.#intent = intent;
    this.#events = events;
    this.#statusUrl = share.statusUrl;
    this.#onStill = onStill;
    this.#timer = setInterval(() => this.#check(), WATCH_INTERVAL_MS);
    video.addEventListener('loadeddata', this.#onData);
  }

  /** Frames arrive: the first one should be on the screen soon. */
  expectPicture(): void {
    if (this.#isPictureDue) return;
    this.#isPictureDue = true;
    this.#movedAtMs = performance.now();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#video.removeEventListener('loadeddata', this.#onData);
  }

  readonly #onData = (): void => {
    if (this.#hasPicture) return;
    this.#hasPicture = true;
    this.#movedAtMs = performance.now();
    this.#events.onPicture();
  };

  /** A camera may take long to wake, so no first frame is expected before something of it arrives; a hidden page is throttled. */
  #check(): void {
    const progress = this.#progress();
    const isDue = this.#hasPicture || this.#isPictureDue;
    const isMeant = this.#intent.isDue && document.visibilityState === 'visible';
    if (isMeant) listen(this.#statusUrl);
    if (!isMeant || progress !== this.#lastProgress) {
      this.#lastProgress = progress;
      this.#movedAtMs = performance.now();
      return;
    }
    const stillMs = performance.now() - this.#movedAtMs;
    if (silentMs() !== null && stillMs > UNRESPONSE_LIMIT_MS) this.#onStill('unanswered');
    else if (isDue && stillMs > STALL_LIMIT_MS && !isAsking()) this.#onStill('stalled');
  }
}

/** Stops immediately and releases everything buffered. */
export function emptyVideo(video: HTMLVideoElement): void {
  video.removeAttribute('src');
  video.srcObject = null;
  for (const source of video.querySelectorAll('source')) source.remove();
  video.load();
  video.pause();
}

/** Whether muxed media with these codecs (RFC 6381) are heard. */
export function hasSound(codecs: string): boolean {
  return /mp4a|flac|opus/i.test(codecs);
}
