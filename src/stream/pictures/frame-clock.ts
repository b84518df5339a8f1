/** The gateway's wall clock for the frames of one track, such that no frame is stamped later than it arrived. */

import { WallClock } from '../../cmaf/wall-clock.ts';
import type { Clock } from '../../core/clock.ts';

/** A longer step of the media time, or one back, says nothing about when frames were taken. */
const MAX_STEP_MS = 10_000;
/** A frame that came sooner than expected by more than this corrects the time in one step. */
const MAX_AHEAD_MS = 5;

export class FrameClock {
  readonly #clock: Clock;
  #epochMinusMonoMs = 0;
  #wallClock!: WallClock;
  #lastMediaMs = Number.NaN;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.restart();
  }

  /** The timeline that follows is unrelated to the one before. */
  restart(): void {
    this.#epochMinusMonoMs = this.#clock.epochMs() - this.#clock.monoMs();
    this.#wallClock = new WallClock(this.#epochMinusMonoMs);
    this.#lastMediaMs = Number.NaN;
  }

  /** Call once per frame, in decoding order. */
  observe(mediaMs: number, arrivalMonoMs: number): void {
    const stepMs = mediaMs - this.#lastMediaMs;
    if (stepMs >= 0 && stepMs <= MAX_STEP_MS) this.#wallClock.observe(mediaMs, arrivalMonoMs);
    else this.#wallClock.restart(mediaMs, arrivalMonoMs);
    this.#lastMediaMs = mediaMs;
    const aheadMs = this.#wallClock.epochMsAt(mediaMs) - this.#epochMinusMonoMs - arrivalMonoMs;
    if (aheadMs > MAX_AHEAD_MS) this.#wallClock.restart(mediaMs, arrivalMonoMs);
  }

  /** Of any track of the same source, fractional; null: no frame was observed. */
  epochMsAt(mediaMs: number): number | null {
    return Number.isNaN(this.#lastMediaMs) ? null : this.#wallClock.epochMsAt(mediaMs);
  }
}
