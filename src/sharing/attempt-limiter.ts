/**
 * Limits wrong passwords per share and address: a token bucket that a guess takes from and a right password gives
 * back to. An IPv6 address counts as its /64, which is what one subscriber has.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { TokenBuckets } from './token-buckets.ts';

/** A guess that was let through. `forgive` gives it back; idempotent. */
export interface Attempt {
  forgive(): void;
}

export class AttemptLimiter {
  readonly #buckets: TokenBuckets;

  /** `perMinute`: guesses at once, and how many come back in a minute. */
  constructor(options: { clock: Clock; perMinute: number; maxBuckets?: number }) {
    this.#buckets = new TokenBuckets(options);
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** An attempt, or the time until there is one. Taken before the password is checked, so that parallel guesses count. */
  take(shareUuid: Ruuid, address: string): Attempt | { readonly retryAfterMs: number } {
    const taken = this.#buckets.take(`${shareUuid} ${subscriberOf(address)}`);
    if (typeof taken === 'number') return { retryAfterMs: taken };
    let isForgiven = false;
    return {
      forgive: () => {
        if (!isForgiven) this.#buckets.giveBack(taken);
        isForgiven = true;
      },
    };
  }
}
