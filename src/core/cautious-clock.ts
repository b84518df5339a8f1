/**
 * The wall clock for deleting old data. A deletion cannot be undone, so a large step forward is believed only after it has lasted. A step
 * back is believed immediately: it deletes nothing early.
 */

import type { Clock } from './clock.ts';

/** Steps forward up to this are believed immediately. */
export const SMALL_STEP_MS = 2 * 3_600_000;
/** Larger ones after this time, in which someone can set the clock right. */
export const BELIEVED_AFTER_MS = 24 * 3_600_000;

export class CautiousClock {
  readonly #clock: Pick<Clock, 'epochMs' | 'monoMs'>;
  /** The believed wall clock minus the monotonic one. */
  #offsetMs: number;
  #doubtedSinceMonoMs: number | null = null;

  constructor(clock: Pick<Clock, 'epochMs' | 'monoMs'>) {
    this.#clock = clock;
    this.#offsetMs = clock.epochMs() - clock.monoMs();
  }

  /** Call at least every few hours: a step that was never seen was never doubted. */
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
