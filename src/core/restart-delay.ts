/**
 * How long to wait before something that ended is started again: twice as long each time, until one lives for a while. That it
 * says something proves nothing: a thread that fails with its first disk access has said that it runs.
 */

/** One that lived for so long was well, whatever ended it. */
export const HEALTHY_AFTER_MS = 60_000;

export class RestartDelay {
  readonly #minMs: number;
  readonly #maxMs: number;
  #nextMs: number;
  /** The one that runs, or ran last. */
  #startedMonoMs = Number.POSITIVE_INFINITY;

  constructor(minMs: number, maxMs: number) {
    this.#minMs = minMs;
    this.#maxMs = maxMs;
    this.#nextMs = minMs;
  }

  started(nowMonoMs: number): void {
    this.#startedMonoMs = nowMonoMs;
  }

  /** It ended, or did not start. Milliseconds to wait. */
  ended(nowMonoMs: number): number {
    if (nowMonoMs - this.#startedMonoMs >= HEALTHY_AFTER_MS) this.#nextMs = this.#minMs;
    this.#startedMonoMs = Number.POSITIVE_INFINITY;
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(this.#maxMs, 2 * pauseMs);
    return pauseMs;
  }
}
