/**
 * Token buckets by key: each holds so many at once and gets so many back in a minute. Bounded: the one unused for
 * longest is forgotten, which is full again by then unless somebody makes keys faster than anyone can be limited by them.
 */

import type { Clock } from '../core/clock.ts';

/** Buckets remembered; beyond it the one unused for longest is forgotten. */
export const MAX_TOKEN_BUCKETS = 50_000;

const MS_PER_MINUTE = 60_000;

export interface TokenBucketsOptions {
  readonly clock: Clock;
  /** Tokens that come back in a minute. */
  readonly perMinute: number;
  /** Tokens of a full bucket. Default: `perMinute`. */
  readonly burst?: number;
  readonly maxBuckets?: number;
}

export interface TokenBucket {
  tokens: number;
  filledMonoMs: number;
}

export class TokenBuckets {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #burst: number;
  readonly #maxBuckets: number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor({ clock, perMinute, burst = perMinute, maxBuckets = MAX_TOKEN_BUCKETS }: TokenBucketsOptions) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.#burst = burst;
    this.#maxBuckets = maxBuckets;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes a token: the bucket it came from, or the milliseconds until there is one. */
  take(key: string): TokenBucket | number {
    const bucket = this.#fill(key);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * MS_PER_MINUTE) / this.#perMinute);
    bucket.tokens--;
    return bucket;
  }

  /** Puts one token back. */
  giveBack(bucket: TokenBucket): void {
    bucket.tokens = Math.min(this.#burst, bucket.tokens + 1);
  }

  #fill(key: string): TokenBucket {
    const nowMonoMs = this.#clock.monoMs();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, filledMonoMs: nowMonoMs };
    const gained = ((nowMonoMs - bucket.filledMonoMs) * this.#perMinute) / MS_PER_MINUTE;
    bucket.tokens = Math.min(this.#burst, bucket.tokens + gained);
    bucket.filledMonoMs = nowMonoMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#maxBuckets) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}
