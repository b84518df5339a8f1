/** Limits what a camera that invents timestamps, or floods, can have us encode. */

import type { Clock } from '../../core/clock.ts';

/** How much faster than time samples may come, in windows of a second: a camera that was held up catches up. */
const MAX_PACE = 16;
const WINDOW_MS = 1_000;

export class SamplePace {
  readonly #clock: Clock;
  readonly #maxSamples: number;
  #windowMonoMs = Number.NEGATIVE_INFINITY;
  #samples = 0;

  constructor(sampleRateHz: number, clock: Clock) {
    this.#clock = clock;
    this.#maxSamples = MAX_PACE * sampleRateHz;
  }

  /** Whether `count` more samples per channel are within it. */
  take(count: number): boolean {
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs - this.#windowMonoMs >= WINDOW_MS) {
      this.#windowMonoMs = nowMonoMs;
      this.#samples = 0;
    }
    this.#samples += count;
    return this.#samples <= this.#maxSamples;
  }
}
