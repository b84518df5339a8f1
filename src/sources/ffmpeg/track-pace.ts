/**
 * Notices that a worker's timestamps have lost the camera's time. Workers bridge jumps themselves (src/ffmpeg/jump-bridge.ts);
 * an ffmpeg that cannot writes an hour between two frames after a jump ahead, and one tick a frame after a jump back
 * until the old time is reached again. The first is noticed at once, the second after `MAX_CRAWL_MS`.
 */

/** Longer than any jump back that is left alone, which the worker's timestamps make up for by themselves. */
export const MAX_CRAWL_MS = 2_000;
/** A single frame after a pause crawls as little as it stands. */
const MIN_CRAWL_FRAMES = 8;
/** No frame of sound or picture is shorter. */
const MIN_ADVANCE_MS = 1;
/** As for the direct engine's jumps (src/rtp/track-clock.ts). */
const MAX_FORWARD_MS = 10_000;

export class TrackPace {
  #lastMs = Number.NaN;
  #lastArrivalMonoMs = 0;
  /** Arrival of the frame since which the track has crawled. */
  #crawlMonoMs = 0;
  #crawlFrames = 0;

  /** Hot: once a frame. `timeMs`: its decoding time. False when the track has lost its time: it will not recover soon. */
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
