/**
 * Wall time of media time, for EXT-X-PROGRAM-DATE-TIME. The wall clock is read once; from then on time is monotonic, so
 * that an operator who sets the clock does not disrupt a running stream. The frames that arrived with the least delay
 * tie media time to it: network and encoder only ever delay, so the smallest delay of the last seconds is closest to
 * the truth. A camera's clock drifts (50 ppm is common); the tie follows by at most 500 ppm.
 *
 * A camera whose own wall clock proves sane can date its frames instead (`tie`). Wall time then moves toward the camera's
 * time just as slowly, so that players notice nothing.
 */

/** Wall time moves against media time by at most this fraction. */
const MAX_SLEW = 500e-6;
/** The smallest delay is taken over the current span of this length and the one before. Media time. */
const SPAN_MS = 10_000;

/** A time of the source, and the wall clock at which it was captured. */
export interface SourceTime {
  readonly mediaMs: number;
  readonly epochMs: number;
}

export class WallClock {
  readonly #epochMinusMonoMs: number;
  /** Monotonic time of media time zero, as published. */
  #offsetMs = 0;
  #leastDelayMs = Number.POSITIVE_INFINITY;
  #previousLeastDelayMs = Number.POSITIVE_INFINITY;
  #spanStartMs = 0;
  #lastMediaMs = 0;
  /** `#offsetMs` by the camera's wall clock; null: the arrival counts. */
  #tiedOffsetMs: number | null = null;
  /** Until the first read, the time may be corrected in one step. */
  #isShown = false;

  /** `epochMinusMonoMs`: wall clock minus monotonic clock, read once. */
  constructor(epochMinusMonoMs: number) {
    this.#epochMinusMonoMs = epochMinusMonoMs;
  }

  /** Another timeline: earlier frames say nothing about it. */
  restart(mediaMs: number, arrivalMonoMs: number): void {
    this.#offsetMs = arrivalMonoMs - mediaMs;
    this.#leastDelayMs = this.#offsetMs;
    this.#previousLeastDelayMs = Number.POSITIVE_INFINITY;
    this.#spanStartMs = mediaMs;
    this.#lastMediaMs = mediaMs;
    this.#isShown = false;
  }

  /** Dates later frames by the camera, whose wall clock was `epochMs` at `mediaMs`. */
  tie(mediaMs: number, epochMs: number): void {
    this.#tiedOffsetMs = epochMs - this.#epochMinusMonoMs - mediaMs;
  }

  /** Dates later frames by their arrival again. */
  untie(): void {
    this.#tiedOffsetMs = null;
  }

  /** Call once per frame, in order. */
  observe(mediaMs: number, arrivalMonoMs: number): void {
    if (mediaMs - this.#spanStartMs >= SPAN_MS) {
      this.#previousLeastDelayMs = this.#leastDelayMs;
      this.#leastDelayMs = Number.POSITIVE_INFINITY;
      this.#spanStartMs = mediaMs;
    }
    const delayMs = arrivalMonoMs - mediaMs;
    if (delayMs < this.#leastDelayMs) this.#leastDelayMs = delayMs;
    const goalMs = this.#tiedOffsetMs ?? Math.min(this.#leastDelayMs, this.#previousLeastDelayMs);
    const mostMs = this.#isShown ? (mediaMs - this.#lastMediaMs) * MAX_SLEW : Number.POSITIVE_INFINITY;
    this.#offsetMs += Math.max(-mostMs, Math.min(mostMs, goalMs - this.#offsetMs));
    this.#lastMediaMs = mediaMs;
  }

  /** Estimated epoch milliseconds (fractional) at which `mediaMs` was captured. */
  epochMsAt(mediaMs: number): number {
    this.#isShown = true;
    return mediaMs + this.#offsetMs + this.#epochMinusMonoMs;
  }
}
