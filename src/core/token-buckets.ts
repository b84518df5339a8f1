/**
 * Token buckets by key: each holds so many tokens and gets so many back in a time. All limits of this process that go by
 * caller are made of them. Bounded: the bucket unused for longest is forgotten, which is full again by then unless
 * somebody makes keys faster than anyone can be limited by them.
 */

import type { Clock } from './clock.ts';

/** Buckets remembered; beyond it the one unused for longest is forgotten. */
export const MAX_TOKEN_BUCKETS = 50_000;

export interface TokenBucketsOptions {
  readonly clock: Clock;
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** What comes back: `tokens` every `perMs`, evenly. */
  readonly refill: { readonly tokens: number; readonly perMs: number };
  /** `MAX_TOKEN_BUCKETS` when absent. */
  readonly maxBuckets?: number;
}

/** What asking for a token came to. */
export interface TokenDraw {
  readonly isTaken: boolean;
  /** Left in the bucket, fractions included. */
  readonly tokens: number;
  /** Until there is a token; 0 if one was taken. Whole milliseconds, rounded up. */
  readonly waitMs: number;
  /** Puts the token back, once. Does nothing if none was taken. */
  giveBack(): void;
}

interface Bucket {
  tokens: number;
  filledMonoMs: number;
}

export class TokenBuckets {
  readonly #options: TokenBucketsOptions;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: TokenBucketsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#buckets.size;
  }

  take(key: string): TokenDraw {
    const bucket = this.#fill(key);
    if (bucket.tokens < 1) {
      const waitMs = Math.ceil(this.#msFor(1 - bucket.tokens));
      return { isTaken: false, tokens: bucket.tokens, waitMs, giveBack: () => undefined };
    }
    bucket.tokens -= 1;
    let isBack = false;
    const giveBack = () => {
      if (!isBack) bucket.tokens = Math.min(this.#options.burst, bucket.tokens + 1);
      isBack = true;
    };
    return { isTaken: true, tokens: bucket.tokens, waitMs: 0, giveBack };
  }

  /** Tokens that are there now. Counts as no use, and makes no bucket. */
  peek(key: string): number {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? this.#options.burst : this.#tokensNow(bucket);
  }

  #fill(key: string): Bucket {
    const { clock, burst, maxBuckets = MAX_TOKEN_BUCKETS } = this.#options;
    const nowMonoMs = clock.monoMs();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledMonoMs: nowMonoMs };
    bucket.tokens = this.#tokensNow(bucket);
    bucket.filledMonoMs = nowMonoMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > maxBuckets) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }

  #tokensNow({ tokens, filledMonoMs }: Bucket): number {
    const { clock, burst, refill } = this.#options;
    const gained = ((clock.monoMs() - filledMonoMs) * refill.tokens) / refill.perMs;
    return Math.min(burst, tokens + gained);
  }

  #msFor(tokens: number): number {
    const { refill } = this.#options;
    return (tokens * refill.perMs) / refill.tokens;
  }
}
