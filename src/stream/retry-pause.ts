/**
 * How long to wait before a source is reopened. Pauses double while attempts fail, with jitter, so that an NVR's
 * cameras come back one by one; a camera that had streamed for seconds is reopened after the shortest pause.
 */

import type { GatewayError } from '../core/errors.ts';

export interface RetryLimits {
  /** First and longest pause between attempts. */
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
}

/** Video for this long proves that the camera works, whatever ended it. */
export const HEALTHY_AFTER_MS = 3_000;

/** Doublings beyond this change nothing. */
const MAX_DOUBLINGS = 30;

export class RetryPause {
  readonly #limits: RetryLimits;
  readonly #random: () => number;
  #failuresInRow = 0;

  /** `random` in [0, 1): the jitter. */
  constructor(limits: RetryLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  reset(): void {
    this.#failuresInRow = 0;
  }

  /**
   * Milliseconds to wait after an attempt that streamed video for `deliveredMs`. The camera's own `retryAfterSec`
   * counts up to the longest pause; `loginPauseMs`, with which the gateway itself holds back a refused password, counts
   * in full.
   */
  afterFailure(error: GatewayError, deliveredMs: number): number {
    this.#failuresInRow = deliveredMs >= HEALTHY_AFTER_MS ? 1 : this.#failuresInRow + 1;
    const { backoffMinMs, backoffMaxMs } = this.#limits;
    const doublings = Math.min(this.#failuresInRow - 1, MAX_DOUBLINGS);
    const ceilingMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** doublings);
    const jitteredMs = Math.max(backoffMinMs, ceilingMs * (0.5 + this.#random() / 2));
    const { retryAfterSec, loginPauseMs } = error.context;
    const askedMs = typeof retryAfterSec === 'number' ? Math.min(retryAfterSec * 1_000, backoffMaxMs) : 0;
    const heldMs = typeof loginPauseMs === 'number' ? loginPauseMs : 0;
    return Math.max(jitteredMs, askedMs, heldMs);
  }
}
