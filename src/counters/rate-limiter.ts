/**
 * How often somebody may ask. A token bucket per key: `burst` requests at once, `perSec` in the long run. Nodes
 * that share one limit do the same over Redis (redis-rate-limiter.ts).
 */

import type { Clock } from '../core/clock.ts';

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

interface Bucket {
  tokens: number;
  filledAtMonoMs: number;
}

/** Of one process. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  /** In order of last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  async take(key: string): Promise<RateVerdict> {
    const bucket = this.#refilled(key);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    this.#forgetOldest();
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    return rateVerdict(this.#limit, bucket.tokens, isAllowed);
  }

  async peek(key: string): Promise<RateVerdict> {
    const bucket = this.#refilled(key);
    return rateVerdict(this.#limit, bucket.tokens, bucket.tokens >= 1);
  }

  /** Buckets held now. */
  get size(): number {
    return this.#buckets.size;
  }

  #refilled(key: string): Bucket {
    const nowMonoMs = this.#clock.monoMs();
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return { tokens: this.#limit.burst, filledAtMonoMs: nowMonoMs };
    const gained = ((nowMonoMs - bucket.filledAtMonoMs) / 1000) * this.#limit.perSec;
    bucket.tokens = Math.min(this.#limit.burst, bucket.tokens + gained);
    bucket.filledAtMonoMs = nowMonoMs;
    return bucket;
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= MAX_BUCKETS) return;
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}
