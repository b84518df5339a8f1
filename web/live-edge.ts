/**
 * Keeps hls.js at its distance from the live edge. hls.js itself speeds playback up only within a few seconds of the
 * edge, and adds to its distance with every stall and never takes that back, so a bad minute left a viewer seconds
 * behind for good. It never slows down, so video that began on the first part of a camera that just woke stayed within
 * a part of the edge, until one part was a little late.
 */

import { bufferedAheadSec } from './buffered.ts';
import type Hls from './hls.js';

const STEP_MS = 250;
/** Playback changes its speed from the first distance on, until it is back within the second value. */
const OFF_BY_SEC = 0.3;
const CLOSE_ENOUGH_SEC = 0.1;
/** A quarter faster or slower for each second; at one and a half times the speed, speech is still intelligible. */
const RATE_PER_SEC = 0.25;
const MAX_RATE = 1.5;
const MIN_RATE = 0.8;
/** Speeding up must not drain the buffer. */
const MIN_AHEAD_SEC = 0.5;
/** Further behind than this is a fault, not jitter: speed repairs it within the time below, otherwise a jump does. */
const LATE_SEC = 4;
const REPAIRED_SEC = 1.5;
const CATCH_UP_MS = 6_000;
const LEFT_BEHIND_SEC = 0.5;
/** Too far for speed. */
const FAR_SEC = 6;
/** A jump needs this long to show whether it helped. */
const JUMP_INTERVAL_MS = 4_000;
/** Every stall adds to the distance, up to the second value; smooth playback takes it back. */
const STALL_CUSHION_SEC = 0.25;
const MAX_CUSHION_SEC = 1;
const CALM_PER_CUSHION_SEC = 40;
/**
 * The player loads whole segments where the network is slow. Faster playback would need more than the network carries, so
 * it only catches up on the excess over the next segment.
 */
const FAR_MAX_RATE = 1.1;
const FAR_MIN_AHEAD_SEC = 2.5;
const FAR_STALL_CUSHION_SEC = 0.5;
const FAR_MAX_CUSHION_SEC = 1.5;
/** Back from there, the distance shrinks by this much a second. */
const RETURN_PER_SEC = 0.2;
const RETURN_MAX_RATE = 1.25;
/** HOLD-BACK, if the playlist has none (RFC 8216bis §4.4.3.8). */
const HOLD_BACK_TARGETS = 3;

export class LiveEdge {
  readonly #hls: Hls;
  readonly #video: HTMLVideoElement;
  readonly #timer: ReturnType<typeof setInterval>;
  #cushionSec = 0;
  #isFar = false;
  /** The distance to keep; null before the first playlist. */
  #targetSec: number | null = null;
  /** null: not late. */
  #lateSinceMs: number | null = null;
  #jumpedAtMs = Number.NEGATIVE_INFINITY;

  constructor(hls: Hls, video: HTMLVideoElement) {
    this.#hls = hls;
    this.#video = video;
    this.#timer = setInterval(() => this.#step(), STEP_MS);
    video.addEventListener('waiting', this.#onWaiting);
  }

  /** Keeps the distance of whole segments (HOLD-BACK), or that of parts, which it approaches slowly. */
  setFar(isFar: boolean): void {
    this.#isFar = isFar;
  }

  /**
   * Seconds beyond the distance that the playlist asks for (PART-HOLD-BACK or HOLD-BACK, RFC 8216bis
   * §4.4.3.8); null before the first playlist. Grows while no playlist arrives, because the camera's time
   * continues.
   */
  behindSec(): number | null {
    const excessSec = this.#excessSec();
    return excessSec === null ? null : Math.max(0, excessSec);
  }

  /** Video that is no longer close to live continues at the live edge: the player would have to load all missed video. */
  jumpIfLeftBehind(): void {
    if ((this.behindSec() ?? 0) > LEFT_BEHIND_SEC) this.jump();
  }

  jump(): void {
    // before there is media, hls.js chooses the start
    if (this.#video.readyState === HTMLMediaElement.HAVE_NOTHING) return;
    const { liveSyncPosition } = this.#hls;
    if (liveSyncPosition === null) return;
    this.#targetSec = this.#wantedSec();
    const farPosition = this.#video.currentTime + (this.#excessSec() ?? 0);
    const position = this.#isFar ? Math.min(liveSyncPosition, farPosition) : liveSyncPosition;
    if (position <= this.#video.currentTime) return;
    this.#jumpedAtMs = performance.now();
    this.#lateSinceMs = null;
    this.#video.playbackRate = 1;
    this.#video.currentTime = position;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#video.removeEventListener('waiting', this.#onWaiting);
    this.#video.playbackRate = 1;
  }

  readonly #onWaiting = (): void => {
    if (this.#video.seeking || this.#video.currentTime === 0) return;
    const [addedSec, mostSec] = this.#isFar
      ? [FAR_STALL_CUSHION_SEC, FAR_MAX_CUSHION_SEC]
      : [STALL_CUSHION_SEC, MAX_CUSHION_SEC];
    this.#cushionSec = Math.min(mostSec, this.#cushionSec + addedSec);
  };

  #step(): void {
    const video = this.#video;
    this.#moveTarget();
    const excessSec = this.#excessSec();
    if (excessSec === null || video.paused || video.seeking) {
      this.#lateSinceMs = null;
      return;
    }
    this.#cushionSec = Math.max(0, this.#cushionSec - STEP_MS / 1000 / CALM_PER_CUSHION_SEC);
    this.#setRate(excessSec - this.#cushionSec);
    this.#jumpWhenLate(excessSec);
  }

  /** Seconds from the intended distance to the actual one: below 0 the video is too close to the live edge. */
  #excessSec(): number | null {
    const details = this.#hls.latestLevelDetails;
    const targetSec = this.#targetSec ?? this.#wantedSec();
    if (details === null || targetSec === null) return null;
    return details.edge + details.age - targetSec - this.#video.currentTime;
  }

  #wantedSec(): number | null {
    const details = this.#hls.latestLevelDetails;
    if (!this.#isFar || details === null) return this.#hls.targetLatency;
    return details.holdBack > 0 ? details.holdBack : details.targetduration * HOLD_BACK_TARGETS;
  }

  #moveTarget(): void {
    const wantedSec = this.#wantedSec();
    const stepSec = (RETURN_PER_SEC * STEP_MS) / 1000;
    this.#targetSec =
      wantedSec === null || this.#targetSec === null
        ? wantedSec
        : Math.max(wantedSec, this.#targetSec - stepSec);
  }

  /** The target has yet to reach the distance of parts. */
  get #isReturning(): boolean {
    return (
      !this.#isFar && this.#targetSec !== null && this.#targetSec > (this.#wantedSec() ?? 0) + OFF_BY_SEC
    );
  }

  #setRate(excessSec: number): void {
    const video = this.#video;
    const isChanged = video.playbackRate !== 1;
    const isOff = Math.abs(excessSec) > (isChanged ? CLOSE_ENOUGH_SEC : OFF_BY_SEC);
    const minAheadSec = this.#isFar ? FAR_MIN_AHEAD_SEC : MIN_AHEAD_SEC;
    const isPossible = excessSec < 0 || bufferedAheadSec(video) > minAheadSec;
    const wanted = isOff && isPossible ? 1 + excessSec * RATE_PER_SEC : 1;
    const maxRate = this.#isFar ? FAR_MAX_RATE : this.#isReturning ? RETURN_MAX_RATE : MAX_RATE;
    const rate = Math.min(maxRate, Math.max(MIN_RATE, wanted));
    // in steps, because each change of the rate makes browsers set up the audio again
    const stepped = Math.round(rate * 20) / 20;
    if (video.playbackRate !== stepped) video.playbackRate = stepped;
  }

  #jumpWhenLate(behindSec: number): void {
    const nowMs = performance.now();
    if (behindSec > LATE_SEC) this.#lateSinceMs ??= nowMs;
    else if (behindSec < REPAIRED_SEC) this.#lateSinceMs = null;
    if (this.#lateSinceMs === null || nowMs - this.#jumpedAtMs < JUMP_INTERVAL_MS) return;
    if (behindSec > FAR_SEC || nowMs - this.#lateSinceMs > CATCH_UP_MS) this.jump();
  }
}
