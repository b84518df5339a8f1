/**
 * How long to wait before a source is reopened. Pauses double while attempts fail, with jitter, so that an NVR's
 * cameras come back one by one; a camera that had streamed for seconds is reopened after the shortest pause.
 *
 * Long pauses spare cameras that answer and fail. They do not spare an offline camera anything: the gateway checks for it
 * every second or two, so that viewers have it back soon after its return.
 */

import { doubledMs, jitteredMs } from '../../core/backoff.ts';
import type { GatewayError } from '../../core/errors.ts';
import { STREAM_ERRORS } from '../media/errors.ts';
import { faultReasonOf } from './camera-fault.ts';

export interface RetryLimits {
  /** First and longest pause between attempts. */
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
}

/** Video for this long proves that the camera works, whatever ended it. */
export const HEALTHY_AFTER_MS = 3_000;

/** Longest pause before a camera that did not answer, or that sent nothing for a whole silence limit, is opened again. */
export const MAX_ABSENT_PAUSE_MS = 1_500;

/** Nothing listened or routed. Name servers are not on the list: a failed lookup costs them a search. */
const ABSENT_ERRNOS = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
]);

export class RetryPause {
  readonly #limits: RetryLimits;
  readonly #random: () => number;
  /** Attempts that the camera answered. */
  #failuresInRow = 0;
  #absencesInRow = 0;

  /** `random` in [0, 1): the jitter. */
  constructor(limits: RetryLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  reset(): void {
    this.#failuresInRow = 0;
    this.#absencesInRow = 0;
  }

  /**
   * Milliseconds to wait after an attempt that streamed video for `deliveredMs`. The camera's own `retryAfterSec`
   * counts up to the longest pause; `loginPauseMs`, with which the gateway itself holds back a refused password, counts
   * in full.
   */
  afterFailure(error: GatewayError, deliveredMs: number): number {
    // The camera did not fail, because it was not contacted. A start without a worker rejoins the line soon.
    if (faultReasonOf(error) === 'no-worker') return this.#limits.backoffMinMs * (1 + this.#random());
    const ceilingMs = this.#ceilingMs(error, deliveredMs);
    const pauseMs = Math.max(this.#limits.backoffMinMs, jitteredMs(ceilingMs, this.#random));
    const { retryAfterSec, loginPauseMs } = error.context;
    const { backoffMaxMs } = this.#limits;
    const requestedMs = typeof retryAfterSec === 'number' ? Math.min(retryAfterSec * 1_000, backoffMaxMs) : 0;
    const heldMs = typeof loginPauseMs === 'number' ? loginPauseMs : 0;
    return Math.max(pauseMs, requestedMs, heldMs);
  }

  /** The pause without jitter. */
  #ceilingMs(error: GatewayError, deliveredMs: number): number {
    if (deliveredMs >= HEALTHY_AFTER_MS) this.reset();
    const absentMs = Math.max(MAX_ABSENT_PAUSE_MS, this.#limits.backoffMinMs);
    if (isAbsent(error)) {
      // The camera may have been restarted, so earlier refusals no longer count.
      this.#failuresInRow = 0;
      this.#absencesInRow++;
      return Math.min(this.#doubledMs(this.#absencesInRow), absentMs);
    }
    this.#absencesInRow = 0;
    this.#failuresInRow++;
    const doubledMs = this.#doubledMs(this.#failuresInRow);
    // The attempt itself has waited for as long as a camera may be silent.
    return faultReasonOf(error) === 'silent' ? Math.min(doubledMs, absentMs) : doubledMs;
  }

  #doubledMs(attemptsInRow: number): number {
    const { backoffMinMs, backoffMaxMs } = this.#limits;
    return doubledMs({ firstMs: backoffMinMs, lastMs: backoffMaxMs }, attemptsInRow);
  }
}

/** The camera did not answer: it is off, its cable is, or it starts. An attempt costs it nothing. */
export function isAbsent(error: GatewayError): boolean {
  const { errno } = error.context;
  if (typeof errno === 'string') return ABSENT_ERRNOS.has(errno) && faultReasonOf(error) === 'unreachable';
  return error.code === 'DIRECT_CONNECT_TIMEOUT' || error.code === STREAM_ERRORS.STREAM_OUT_OF_REACH.code;
}
