/**
 * The wall clock, for deleting what is too old: that cannot be undone, so a step far ahead is believed only after it has
 * lasted. A clock that goes back is believed at once: then nothing is deleted early.
 */

import type { Clock } from './clock.ts';

/** Steps ahead up to this are believed at once. */
export const SMALL_STEP_MS = 2 * 3_600_000;
/** Larger ones after this time, in which someone can set the clock right. */
export const BELIEVED_AFTER_MS = 24 * 3_600_000;

export class CautiousClock {
  readonly #clock: Pick<Clock, 'epochMs' | 'monoMs'>;
  /** Of the wall clock that is believed, to the monotonic one. */
  #offsetMs: number;
  #doubtedSinceMonoMs: number | null = null;

  constructor(clock: Pick<Clock, 'epochMs' | 'monoMs'>) {
    this.#clock = clock;
    this.#offsetMs = clock.epochMs() - clock.monoMs();
  }

  /** Ask at least every few hours: what was never seen was never doubted. */
  epochMs(): number {
    const nowMonoMs = this.#clock.monoMs();
    const offsetMs = this.#clock.epochMs() - nowMonoMs;
    const isFarAhead = offsetMs > this.#offsetMs + SMALL_STEP_MS;
    if (isFarAhead) this.#doubtedSinceMonoMs ??= nowMonoMs;
    else this.#doubtedSinceMonoMs = null;
    const since = this.#doubtedSinceMonoMs;
    if (since === null || nowMonoMs - since >= BELIEVED_AFTER_MS) {
      this.#offsetMs = offsetMs;
      this.#doubtedSinceMonoMs = null;
    }
    return nowMonoMs + this.#offsetMs;
  }
}
