/**
 * Wall time of media time, for EXT-X-PROGRAM-DATE-TIME. The wall clock is read once; from then on time is
 * monotonic, so that an operator who sets the clock does not tear a running stream. Media time is tied to it by the
 * frames that travelled fastest: network and encoder only ever delay, so the least delay of the last seconds is
 * nearest to the truth. A camera's clock drifts (50 ppm are usual); the tie follows by 500 ppm at most.
 */

/** Wall time moves against media time by at most this share. */
const MAX_SLEW = 500e-6;
/** The least delay is taken over the running span of this length and the one before. Media time. */
const SPAN_MS = 10_000;

export class WallClock {
  readonly #epochMinusMonoMs: number;
  /** Monotonic time of media time zero, as shown. */
  #offsetMs = 0;
  #leastDelayMs = Number.POSITIVE_INFINITY;
  #previousLeastDelayMs = Number.POSITIVE_INFINITY;
  #spanStartMs = 0;
  #lastMediaMs = 0;
  /** Until somebody has read a time, it may be corrected in one step. */
  #isShown = false;

  /** `epochMinusMonoMs`: wall clock less monotonic clock, read once. */
  constructor(epochMinusMonoMs: number) {
    this.#epochMinusMonoMs = epochMinusMonoMs;
  }

  /** Another timeline: what came before says nothing about it. */
  restart(mediaMs: number, arrivalMonoMs: number): void {
    this.#offsetMs = arrivalMonoMs - mediaMs;
    this.#leastDelayMs = this.#offsetMs;
    this.#previousLeastDelayMs = Number.POSITIVE_INFINITY;
    this.#spanStartMs = mediaMs;
    this.#lastMediaMs = mediaMs;
    this.#isShown = false;
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
    const goalMs = Math.min(this.#leastDelayMs, this.#previousLeastDelayMs);
    const mostMs = this.#isShown ? (mediaMs - this.#lastMediaMs) * MAX_SLEW : Number.POSITIVE_INFINITY;
    this.#offsetMs += Math.max(-mostMs, Math.min(mostMs, goalMs - this.#offsetMs));
    this.#lastMediaMs = mediaMs;
  }

  /** Epoch milliseconds (fractional) at which `mediaMs` was, as far as can be told here, captured. */
  epochMsAt(mediaMs: number): number {
    this.#isShown = true;
    return mediaMs + this.#offsetMs + this.#epochMinusMonoMs;
  }
}
