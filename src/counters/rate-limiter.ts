/**
 * Limits how often a caller can send requests. A token bucket per key: `burst` requests in one moment, `perSec` in the long run.
 * Nodes that share one limit do the same over Redis (redis-rate-limiter.ts).
 */

import type { Clock } from '../core/clock.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import { TokenBuckets } from '../core/token-buckets.ts';

/** How many buckets are kept. Beyond this, the least recently used one is forgotten, which can only be generous. */
const MAX_BUCKETS = 10_000;

export interface RateVerdict {
  readonly isAllowed: boolean;
  /** The bucket's size, and the whole requests left in it. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds in which an empty bucket fills. */
  readonly windowSec: number;
  /** Seconds until the bucket is full again. */
  readonly resetSec: number;
  /** Seconds until the next request is allowed; 0 if it is allowed now. */
  readonly retryAfterSec: number;
}

export interface RateLimiter {
  /** Takes one request from the key's allowance. */
  take(key: string): Promise<RateVerdict>;
  /** Says what `take` would say, without taking anything. */
  peek(key: string): Promise<RateVerdict>;
}

/** `policy` tells limits apart that share a server. */
export type CreateRateLimiter = (policy: string, limit: RateLimit) => RateLimiter;

/** The verdict of a bucket with `tokens`. */
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

/** Limits requests to one process. */
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

  /** How many buckets are kept now. */
  get size(): number {
    return this.#buckets.size;
  }
}

/** Each limit for this process alone. */
export function memoryRateLimiters(clock: Clock): CreateRateLimiter {
  return (_policy, limit) => new MemoryRateLimiter(limit, clock);
}
