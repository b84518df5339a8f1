/** Records when frames reach the screen, or the loudspeakers if the stream has no video. */

const POLL_MS = 250;
/**
 * Between two frames that are noted. To hear of each one makes the browser draw the page for each one: on a slow phone,
 * that took as much time as everything else that the page does.
 */
const FRAME_REST_MS = 100;
/** The time without a frame that counts as frozen: jitter and a variant change take this long. */
const MIN_FROZEN_MS = 2_000;
/** The shortest, for video that comes so late that the page would say "Live" for too long after the camera froze. */
const SHORTEST_FROZEN_MS = 1_000;
/** The page shows "Live" no longer than this after the camera's last frame. */
export const LIVE_BOUND_MS = 3_000;
/** How often pages look at the clock, at least. */
export const LOOK_MS = 250;
/** Cameras with a low frame rate count as frozen after this many of their intervals. */
const FROZEN_INTERVALS = 3;
/** A page that draws nothing for this long is not visible: out of view, or behind another window. */
const UNSEEN_MS = 1_000;
/** A longer time between two frames is a stop, not the camera's frame rate. */
const MAX_INTERVAL_SEC = 20;

/**
 * How long the last frame has been on the screen when it counts as frozen. `delayMs`: from the camera to the screen; later
 * than LIVE_BOUND_MS, the bound cannot be kept, and the time is the usual one. `intervalSec`: between two frames.
 */
export function frozenAfterMs(delayMs: number, intervalSec: number): number {
  const leftMs = delayMs < LIVE_BOUND_MS ? LIVE_BOUND_MS - LOOK_MS - delayMs : MIN_FROZEN_MS;
  const afterMs = Math.max(SHORTEST_FROZEN_MS, Math.min(MIN_FROZEN_MS, leftMs));
  return Math.max(afterMs, intervalSec * 1000 * FROZEN_INTERVALS);
}

/** Watches a video element for the life of the page; players come and go beneath it. */
export class FrameClock {
  readonly #video: HTMLVideoElement;
  /** null: no frame since the last `reset`. */
  #shownAtMs: number | null = null;
  #mediaSec = 0;
  #intervalSec = 0;
  #drawnAtMs = performance.now();

  constructor(video: HTMLVideoElement) {
    this.#video = video;
    if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(this.#onFrame);
    setInterval(() => this.#poll(), POLL_MS);
    requestAnimationFrame(this.#onDraw);
    document.addEventListener('visibilitychange', () => this.#excuse());
    video.addEventListener('play', () => this.#excuse());
  }

  /** A different stream: its first frame has yet to come. */
  reset(): void {
    this.#shownAtMs = null;
    this.#intervalSec = 0;
  }

  /**
   * How long the video has been frozen, in ms; 0: no longer than its frame rate explains, or the page is out
   * of view. null: no frame yet. `ageMs`: since the camera took the frame on the screen; null: not known.
   */
  frozenMs(ageMs: number | null = null): number | null {
    if (this.#shownAtMs === null) return null;
    const nowMs = performance.now();
    if (document.visibilityState !== 'visible' || nowMs - this.#drawnAtMs > UNSEEN_MS) return 0;
    const stillMs = nowMs - this.#shownAtMs;
    const delayMs = ageMs === null ? 0 : Math.max(0, ageMs - stillMs);
    return stillMs < frozenAfterMs(delayMs, this.#intervalSec) ? 0 : stillMs;
  }

  readonly #onFrame = (_nowMs: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
    this.#note(mediaTime);
    setTimeout(() => this.#video.requestVideoFrameCallback(this.#onFrame), FRAME_REST_MS);
  };

  readonly #onDraw = (): void => {
    const nowMs = performance.now();
    if (nowMs - this.#drawnAtMs > UNSEEN_MS) this.#excuse();
    this.#drawnAtMs = nowMs;
    setTimeout(() => requestAnimationFrame(this.#onDraw), POLL_MS);
  };

  /** Browsers that do not report frames report time, and so does a stream without any. */
  #poll(): void {
    const reportsFrames = 'requestVideoFrameCallback' in this.#video && this.#video.videoWidth > 0;
    if (reportsFrames) return;
    if (this.#video.readyState > 1 && this.#video.currentTime !== this.#mediaSec) {
      this.#note(this.#video.currentTime);
    }
  }

  #note(mediaSec: number): void {
    const nowMs = performance.now();
    // a jump is long on the media's clock only, a stop on ours only
    const intervalSec = Math.min(mediaSec - this.#mediaSec, (nowMs - (this.#shownAtMs ?? nowMs)) / 1000);
    if (intervalSec < MAX_INTERVAL_SEC) {
      // the longest recent one, because cameras lower their frame rate at night
      this.#intervalSec = Math.max(intervalSec, this.#intervalSec * 0.95);
    }
    this.#mediaSec = mediaSec;
    this.#shownAtMs = nowMs;
  }

  /** Frames that were skipped while out of view, or during a pause, do not count against the stream. */
  #excuse(): void {
    if (this.#shownAtMs !== null) this.#shownAtMs = performance.now();
  }
}
