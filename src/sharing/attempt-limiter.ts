/**
 * Limits wrong passwords per share and subscriber: a token bucket that a guess takes from and a correct password
 * returns to. Nodes that share a Redis count together (counters/redis-rate-limiter.ts).
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { type CreateTokenSource, TokenBuckets, type TokenSource } from '../core/token-buckets.ts';

const MS_PER_MINUTE = 60_000;

/** An admitted guess. `forgive` returns it; idempotent. */
export interface Attempt {
  forgive(): void;
}

export class AttemptLimiter {
  readonly #buckets: TokenSource;

  /** `perMinute`: the burst of guesses, and the number that a minute restores. `shared`: absent or null: this process counts. */
  constructor(options: {
    clock: Clock;
    perMinute: number;
    maxBuckets?: number;
    shared?: CreateTokenSource | null;
  }) {
    const { perMinute, shared } = options;
    const size = { burst: perMinute, refill: { tokens: perMinute, perMs: MS_PER_MINUTE } };
    this.#buckets = shared?.('password', size) ?? new TokenBuckets({ ...options, ...size });
  }

  /**
   * An attempt, or the time until there is one. Taken before the password is checked, so that parallel guesses count.
   */
  async take(shareUuid: Ruuid, address: string): Promise<Attempt | { readonly retryAfterMs: number }> {
    const draw = await this.#buckets.take(`${shareUuid} ${subscriberOf(address)}`);
    return draw.isTaken ? { forgive: draw.giveBack } : { retryAfterMs: draw.waitMs };
  }
}
