/**
 * Detects that a track's clock was frozen while its camera sent nothing. If video stops for 2 s and its timestamps do not
 * show it, sound that continued meanwhile would be 2 s later than its picture from then on. RFC 3550 §5.1 requires the
 * clock to keep running, and most cameras comply; then nothing has to be done.
 *
 * Frames that were only held up on their way come in a burst, or hold up the other track, too.
 */

/** A shorter time without frames is a busy camera. */
const MIN_PAUSE_MS = 500;
/** The clock must have been frozen for this share of it. */
const MIN_STILL_SHARE = 0.8;
/** For this long after the pause, frames must come as far apart as they are stamped. */
const CONFIRM_MS = 500;
/** Reordered pictures are stamped by this much later or earlier than they come. */
const TOLERANCE_MS = 200;

export class PauseWatch {
  /** By how much the first frame after a pause came later than it is stamped; 0: there was none. */
  #firstMs = 0;
  /** The same of the newest frame, and the sum for all since then. */
  #laterMs = 0;
  #sumMs = 0;
  #frames = 0;
  #sinceMonoMs = 0;

  /** Another clock. */
  reset(): void {
    this.#firstMs = 0;
  }

  /**
   * Hot: once per frame. The frame came `elapsedMs` after the one before and is stamped `deltaMs` later; the other track
   * was silent for at most `otherGapMs` meanwhile. Returns how long the clock was frozen, once that is certain; otherwise
   * 0.
   */
  frame(elapsedMs: number, deltaMs: number, otherGapMs: number, arrivalMonoMs: number): number {
    const laterMs = elapsedMs - deltaMs;
    if (this.#firstMs === 0) {
      const isPause = elapsedMs >= MIN_PAUSE_MS && laterMs >= elapsedMs * MIN_STILL_SHARE;
      if (isPause && otherGapMs < elapsedMs / 2) this.#begin(laterMs, arrivalMonoMs);
      return 0;
    }
    this.#laterMs += laterMs;
    this.#sumMs += this.#laterMs;
    this.#frames += 1;
    if (this.#laterMs < this.#firstMs - TOLERANCE_MS) this.#firstMs = 0;
    if (this.#firstMs === 0 || arrivalMonoMs - this.#sinceMonoMs < CONFIRM_MS) return 0;
    this.#firstMs = 0;
    return this.#sumMs / this.#frames;
  }

  #begin(laterMs: number, arrivalMonoMs: number): void {
    this.#firstMs = laterMs;
    this.#laterMs = laterMs;
    this.#sumMs = laterMs;
    this.#frames = 1;
    this.#sinceMonoMs = arrivalMonoMs;
  }
}
