/**
 * Detects that a worker's timestamps have lost the camera's time. Workers bridge jumps themselves
 * (src/ffmpeg/jump-bridge.ts). An ffmpeg that cannot do this writes an hour between two frames after a jump ahead, and
 * one tick per frame after a jump back until the old time is reached again. The first is detected immediately, the
 * second after `MAX_CRAWL_MS`.
 */

/** Longer than any jump back that is left alone: the worker's timestamps catch up with those on their own. */
export const MAX_CRAWL_MS = 2_000;
/** Minimum number of frames: after a pause, a single frame crawls without any fault. */
const MIN_CRAWL_FRAMES = 8;
/** No audio or video frame is shorter. */
const MIN_ADVANCE_MS = 1;
/** Same limit as for the direct engine's jumps (src/rtp/track-clock.ts). */
const MAX_FORWARD_MS = 10_000;

export class TrackPace {
  #lastMs = Number.NaN;
  #lastArrivalMonoMs = 0;
  /** Arrival of the frame at which the track began to crawl. */
  #crawlMonoMs = 0;
  #crawlFrames = 0;

  /**
   * Hot: once per frame. `timeMs`: its decoding time. Returns false if the track has lost its time and will not recover
   * soon.
   */
  keepsTime(timeMs: number, arrivalMonoMs: number): boolean {
    const advanceMs = timeMs - this.#lastMs;
    const elapsedMs = arrivalMonoMs - this.#lastArrivalMonoMs;
    this.#lastMs = timeMs;
    this.#lastArrivalMonoMs = arrivalMonoMs;
    // The first frame's advance is NaN.
    if (advanceMs > MAX_FORWARD_MS + elapsedMs) return false;
    if (!(advanceMs < MIN_ADVANCE_MS)) {
      this.#crawlMonoMs = arrivalMonoMs;
      this.#crawlFrames = 0;
      return true;
    }
    this.#crawlFrames += 1;
    return this.#crawlFrames < MIN_CRAWL_FRAMES || arrivalMonoMs - this.#crawlMonoMs < MAX_CRAWL_MS;
  }
}
