/**
 * How often somebody may ask. A token bucket per key: `burst` requests at once, `perSec` in the long run. Nodes
 * that share one limit do the same over Redis (redis-rate-limiter.ts).
 */

import type { Clock } from '../core/clock.ts';
import { TokenBuckets } from '../core/token-buckets.ts';

/** Buckets kept; beyond it the one unused for longest is forgotten, which can only be generous. */
const MAX_BUCKETS = 10_000;

export interface RateLimit {
  readonly burst: number;
  readonly perSec: number;
}

export interface RateVerdict {
  readonly isAllowed: boolean;
  /** The bucket's size, and the whole requests left in it. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds in which an empty bucket fills. */
  readonly windowSec: number;
  /** Seconds until the bucket is full again. */
  readonly resetSec: number;
  /** Seconds until the next request is allowed; 0 when it is now. */
  readonly retryAfterSec: number;
}

export interface RateLimiter {
  /** Takes one request from the key's allowance. */
  take(key: string): Promise<RateVerdict>;
  /** Tells what `take` would, and takes nothing. */
  peek(key: string): Promise<RateVerdict>;
}

/** What a bucket that holds `tokens` lets its user know. */
export function rateVerdict(limit: RateLimit, tokens: number, isAllowed: boolean): RateVerdict {
  const { burst, perSec } = limit;
  return {
    isAllowed,
    limit: burst,
    remaining: Math.floor(tokens),
    windowSec: Math.ceil(burst / perSec),
    resetSec: Math.ceil((burst - tokens) / perSec),
    retryAfterSec: isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSec)),
  };
}

/** Of one process. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #limit: RateLimit;
  readonly #buckets: TokenBuckets;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    const refill = { tokens: limit.perSec, perMs: 1_000 };
    this.#buckets = new TokenBuckets({ clock, burst: limit.burst, refill, maxBuckets: MAX_BUCKETS });
  }

  async take(key: string): Promise<RateVerdict> {
    const { tokens, isTaken } = this.#buckets.take(key);
    return rateVerdict(this.#limit, tokens, isTaken);
  }

  async peek(key: string): Promise<RateVerdict> {
    const tokens = this.#buckets.peek(key);
    return rateVerdict(this.#limit, tokens, tokens >= 1);
  }

  /** Buckets held now. */
  get size(): number {
    return this.#buckets.size;
  }
}
