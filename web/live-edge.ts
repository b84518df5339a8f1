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

export class LiveEdge {
  readonly #hls: Hls;
  readonly #video: HTMLVideoElement;
  readonly #timer: ReturnType<typeof setInterval>;
  #cushionSec = 0;
  /** null: not late. */
  #lateSinceMs: number | null = null;
  #jumpedAtMs = Number.NEGATIVE_INFINITY;

  constructor(hls: Hls, video: HTMLVideoElement) {
    this.#hls = hls;
    this.#video = video;
    this.#timer = setInterval(() => this.#step(), STEP_MS);
    video.addEventListener('waiting', this.#onWaiting);
  }

  /**
   * Seconds beyond the distance that the playlist asks for (PART-HOLD-BACK, RFC 8216bis §4.4.3.8); null before the
   * first playlist. Grows while no playlist comes, because the camera's time goes on.
   */
  behindSec(): number | null {
    const excessSec = this.#excessSec();
    return excessSec === null ? null : Math.max(0, excessSec);
  }

  /** Video that is no longer close to live continues at the live edge: what it missed would have to be loaded first. */
  jumpIfLeftBehind(): void {
    if ((this.behindSec() ?? 0) > LEFT_BEHIND_SEC) this.jump();
  }

  jump(): void {
    const { liveSyncPosition } = this.#hls;
    // before there is media, hls.js chooses the start
    if (this.#video.readyState === HTMLMediaElement.HAVE_NOTHING) return;
    if (liveSyncPosition === null || liveSyncPosition <= this.#video.currentTime) return;
    this.#jumpedAtMs = performance.now();
    this.#lateSinceMs = null;
    this.#video.playbackRate = 1;
    this.#video.currentTime = liveSyncPosition;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#video.removeEventListener('waiting', this.#onWaiting);
    this.#video.playbackRate = 1;
  }

  readonly #onWaiting = (): void => {
    if (this.#video.seeking || this.#video.currentTime === 0) return;
    this.#cushionSec = Math.min(MAX_CUSHION_SEC, this.#cushionSec + STALL_CUSHION_SEC);
  };

  #step(): void {
    const video = this.#video;
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
    const { targetLatency } = this.#hls;
    if (details === null || targetLatency === null) return null;
    return details.edge + details.age - targetLatency - this.#video.currentTime;
  }

  #setRate(excessSec: number): void {
    const video = this.#video;
    const isChanged = video.playbackRate !== 1;
    const isOff = Math.abs(excessSec) > (isChanged ? CLOSE_ENOUGH_SEC : OFF_BY_SEC);
    const isPossible = excessSec < 0 || bufferedAheadSec(video) > MIN_AHEAD_SEC;
    const wanted = isOff && isPossible ? 1 + excessSec * RATE_PER_SEC : 1;
    const rate = Math.min(MAX_RATE, Math.max(MIN_RATE, wanted));
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
