/**
 * Limits wrong passwords per share and subscriber: a token bucket that a guess takes from and a correct password
 * returns to.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { TokenBuckets } from '../core/token-buckets.ts';

const MS_PER_MINUTE = 60_000;

/** An admitted guess. `forgive` returns it; idempotent. */
export interface Attempt {
  forgive(): void;
}

export class AttemptLimiter {
  readonly #buckets: TokenBuckets;

  /** `perMinute`: the burst of guesses, and the number that a minute restores. */
  constructor(options: { clock: Clock; perMinute: number; maxBuckets?: number }) {
    const { perMinute } = options;
    const refill = { tokens: perMinute, perMs: MS_PER_MINUTE };
    this.#buckets = new TokenBuckets({ ...options, burst: perMinute, refill });
  }

  get size(): number {
    return this.#buckets.size;
  }

  /**
   * An attempt, or the time until there is one. Taken before the password is checked, so that parallel guesses count.
   */
  take(shareUuid: Ruuid, address: string): Attempt | { readonly retryAfterMs: number } {
    const draw = this.#buckets.take(`${shareUuid} ${subscriberOf(address)}`);
    return draw.isTaken ? { forgive: draw.giveBack } : { retryAfterMs: draw.waitMs };
  }
}
