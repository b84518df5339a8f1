/**
 * Tells the gateway how the playback of this page goes, if it asks for that: four numbers a minute, and nothing about who watches. A
 * browser that asks for privacy (Do Not Track, Global Privacy Control) tells nothing.
 */

import { gatewayEpochMs } from './open.ts';
import type { LivePlayer } from './playback.ts';
import { requestCounts } from './request-counts.ts';

const INTERVAL_MS = 60_000;
const STEP_MS = 1_000;
/** As the synthetic viewer: players hide shorter ones. */
const MIN_STALL_MS = 100;

export class PlaybackReport {
  /** Null: nothing live is meant to play. */
  readonly #livePlayer: () => LivePlayer | null;
  #url: string | null = null;
  #timer: number | undefined;
  #sentAtMs = 0;
  #steppedAtMs = 0;
  #hasPicture = false;
  /** The page has shown nothing but the way to the first picture. */
  #isStraight = document.visibilityState === 'visible';
  #firstPictureMs: number | null = null;
  #playedMs = 0;
  #stalledMs = 0;
  #stalls = 0;
  #stalledSinceMs: number | null = null;
  #delaySumMs = 0;
  #delays = 0;
  #sentRequests = 0;
  #sentFailed = 0;

  constructor(video: HTMLVideoElement, livePlayer: () => LivePlayer | null) {
    this.#livePlayer = livePlayer;
    video.addEventListener('waiting', () => {
      if (!video.seeking && this.#isPlaying()) this.#stalledSinceMs ??= performance.now();
    });
    video.addEventListener('playing', () => this.#endStall());
    document.addEventListener('visibilitychange', () => {
      this.#isStraight = false;
      this.#step();
      if (document.visibilityState === 'hidden') this.#endStall();
    });
    addEventListener('pagehide', () => this.#send());
  }

  /** Absent `url`: the gateway does not ask. */
  open(url: string | undefined): void {
    const isPrivate =
      navigator.doNotTrack === '1' ||
      (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
    clearInterval(this.#timer);
    this.#url = isPrivate ? null : (url ?? null);
    if (this.#url === null) return;
    this.#sentAtMs = performance.now();
    this.#steppedAtMs = this.#sentAtMs;
    this.#timer = setInterval(() => this.#step(), STEP_MS);
  }

  /** The first frame of a player is on the screen. */
  pictured(): void {
    this.#endStall();
    if (!this.#hasPicture && this.#isStraight) this.#firstPictureMs = performance.now();
    this.#hasPicture = true;
  }

  /** The player lost the stream; with `isStall`, the viewer's picture freezes. */
  lost(isStall: boolean): void {
    if (isStall && this.#hasPicture) this.#stalledSinceMs ??= performance.now();
    else this.#endStall();
  }

  /** Ends the report, and sends the measurements so far. */
  close(): void {
    this.#isStraight = false;
    this.#endStall();
    this.#send();
    clearInterval(this.#timer);
    this.#url = null;
  }

  #isPlaying(): boolean {
    const isMeant = this.#livePlayer() !== null;
    return this.#hasPicture && isMeant && document.visibilityState === 'visible';
  }

  #step(): void {
    this.#count();
    if (performance.now() - this.#sentAtMs >= INTERVAL_MS) this.#send();
  }

  #count(): void {
    const nowMs = performance.now();
    // A frozen page played nothing in the meantime.
    const stepMs = Math.min(nowMs - this.#steppedAtMs, 2 * STEP_MS);
    this.#steppedAtMs = nowMs;
    if (this.#stalledSinceMs === null && this.#isPlaying()) {
      this.#playedMs += stepMs;
      const pictureEpochMs = this.#livePlayer()?.pictureEpochMs() ?? null;
      if (pictureEpochMs !== null) {
        this.#delaySumMs += Math.max(0, gatewayEpochMs() - pictureEpochMs);
        this.#delays++;
      }
    }
  }

  #endStall(): void {
    if (this.#stalledSinceMs === null) return;
    const stalledMs = performance.now() - this.#stalledSinceMs;
    this.#stalledSinceMs = null;
    if (stalledMs < MIN_STALL_MS) return;
    this.#stalledMs += stalledMs;
    this.#stalls++;
  }

  #send(): void {
    this.#count();
    this.#sentAtMs = performance.now();
    if (this.#stalledSinceMs !== null) {
      this.#endStall();
      this.#stalledSinceMs = performance.now();
    }
    const { requests, failed } = requestCounts;
    if (this.#url === null || this.#playedMs + this.#stalledMs === 0) return;
    const report = {
      ...(this.#firstPictureMs === null ? {} : { firstPictureMs: Math.round(this.#firstPictureMs) }),
      playedMs: Math.round(this.#playedMs),
      stalledMs: Math.round(this.#stalledMs),
      stalls: this.#stalls,
      ...(this.#delays === 0 ? {} : { delayMs: Math.round(this.#delaySumMs / this.#delays) }),
      requests: requests - this.#sentRequests,
      failedRequests: failed - this.#sentFailed,
    };
    this.#firstPictureMs = null;
    [this.#playedMs, this.#stalledMs, this.#stalls, this.#delaySumMs, this.#delays] = [0, 0, 0, 0, 0];
    [this.#sentRequests, this.#sentFailed] = [requests, failed];
    fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(report),
      keepalive: true,
    }).catch(() => {
      // A report that is lost is not missed.
    });
  }
}
