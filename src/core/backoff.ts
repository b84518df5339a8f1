/** Exponential backoff: how long to wait before something that failed is tried again. Each pause is twice as long as the one before. */

/** If something lived this long, it was healthy, no matter what ended it. */
export const HEALTHY_AFTER_MS = 60_000;

export interface BackoffLimits {
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface BackoffOptions extends BackoffLimits {
  /** In [0, 1). With it, pauses are between half and all of their length, so that what failed together is not retried together. */
  readonly random?: () => number;
  /** Jitter makes no pause shorter. Default: 0. */
  readonly leastMs?: number;
  /** Default: HEALTHY_AFTER_MS. */
  readonly healthyAfterMs?: number;
}

/** The pause after `failures` in a row, the latest included, without jitter. */
export function doubledMs({ firstMs, lastMs }: BackoffLimits, failures: number): number {
  return Math.min(lastMs, firstMs * 2 ** Math.max(0, failures - 1));
}

/** Half of the pause is fixed, half is random. `random` in [0, 1). */
export function jitteredMs(pauseMs: number, random: () => number): number {
  return pauseMs * (0.5 + random() / 2);
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;
  #startedMonoMs = Number.POSITIVE_INFINITY;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** In a row. */
  get failures(): number {
    return this.#failures;
  }

  /** It worked: the next pause is the first one again. */
  reset(): void {
    this.#failures = 0;
  }

  /** It failed. Milliseconds to wait. `livedMs`: how long it had worked before, 0 if it did not start. */
  failed(livedMs = 0): number {
    const { random, leastMs = 0, healthyAfterMs = HEALTHY_AFTER_MS } = this.#options;
    if (livedMs >= healthyAfterMs) this.#failures = 0;
    const pauseMs = doubledMs(this.#options, ++this.#failures);
    return random === undefined ? pauseMs : Math.max(leastMs, jitteredMs(pauseMs, random));
  }

  /** Something that is restarted begins. That it reports something proves nothing: it may fail with its first disk access. */
  started(nowMonoMs: number): void {
    this.#startedMonoMs = nowMonoMs;
  }

  /** It ended, or did not start. Milliseconds to wait. */
  ended(nowMonoMs: number): number {
    const livedMs = nowMonoMs - this.#startedMonoMs;
    this.#startedMonoMs = Number.POSITIVE_INFINITY;
    return this.failed(livedMs);
  }
}
