/** Playback with the browser's own HLS, for browsers without Media Source Extensions. */

import { type OpenShare, readStatus } from './open.ts';
import type { PlayIntent } from './play-intent.ts';
import { emptyVideo, type LivePlayer, PlaybackWatch, type PlayerEnd, type PlayerEvents } from './playback.ts';

const POLL_INTERVAL_MS = 1_000;

/** The browser does not report the gateway's response, so the page asks about the grant separately. */
export class NativePlayer implements LivePlayer {
  readonly #video: HTMLVideoElement;
  readonly #events: PlayerEvents;
  readonly #statusUrl: string;
  readonly #watch: PlaybackWatch;
  readonly #poll: number;
  #isAsking = false;
  #ended = false;

  constructor(video: HTMLVideoElement, share: OpenShare, intent: PlayIntent, events: PlayerEvents) {
    this.#video = video;
    this.#events = events;
    this.#statusUrl = share.statusUrl;
    this.#watch = new PlaybackWatch(video, share, intent, events, (reason) =>
      this.#end({ kind: 'lost', reason, retryAfterSec: null }),
    );
    this.#poll = setInterval(() => void this.#ask(false), POLL_INTERVAL_MS);
    video.addEventListener('error', this.#onError);
    video.src = share.playlistUrl;
    events.onSound(true);
  }

  behindLiveSec(): number | null {
    const edgeSec = this.#edgeSec();
    return edgeSec === null ? null : Math.max(0, edgeSec - this.#video.currentTime);
  }

  pictureEpochMs(): number | null {
    const startDate: unknown = 'getStartDate' in this.#video ? this.#video.getStartDate : null;
    if (typeof startDate !== 'function') return null;
    const start: unknown = startDate.call(this.#video);
    const startEpochMs = start instanceof Date ? start.getTime() : Number.NaN;
    return Number.isNaN(startEpochMs) ? null : startEpochMs + this.#video.currentTime * 1000;
  }

  jumpToLive(): void {
    const edgeSec = this.#edgeSec();
    if (edgeSec !== null) this.#video.currentTime = edgeSec;
  }

  stop(): void {
    this.#release();
    emptyVideo(this.#video);
  }

  #edgeSec(): number | null {
    const { seekable } = this.#video;
    return seekable.length === 0 ? null : seekable.end(seekable.length - 1);
  }

  readonly #onError = (): void => void this.#ask(true);

  async #ask(hasFailed: boolean): Promise<void> {
    if (this.#isAsking && !hasFailed) return;
    this.#isAsking = true;
    const status = await readStatus(this.#statusUrl);
    this.#isAsking = false;
    const reason = status.kind === 'refused' ? status.refusal.reason : null;
    if (status.kind === 'refused' && (reason === 'busy' || reason === 'restarting')) {
      if (hasFailed) this.#end({ kind: 'lost', reason, retryAfterSec: status.refusal.retryAfterSec });
    } else if (status.kind === 'refused') {
      this.#end({ kind: 'refused', refusal: status.refusal });
    } else if (hasFailed) {
      const isOffline = status.kind === 'camera' && status.state === 'offline';
      this.#end({
        kind: 'lost',
        reason: isOffline ? 'camera-offline' : 'network',
        retryAfterSec: null,
        nextTryEpochMs: isOffline ? status.nextTryEpochMs : undefined,
      });
    }
  }

  #end(end: PlayerEnd): void {
    if (this.#ended) return;
    this.#release();
    this.#events.onEnd(end);
  }

  #release(): void {
    this.#ended = true;
    this.#watch.stop();
    clearInterval(this.#poll);
    this.#video.removeEventListener('error', this.#onError);
  }
}
