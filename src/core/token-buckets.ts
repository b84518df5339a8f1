/**
 * Token buckets by key: each holds a number of tokens and refills over time. All of this process's limits per caller
 * use them. Limited in number: the least recently used bucket is forgotten. It is full again by then, unless someone
 * creates keys faster than any per-caller limit could stop.
 */

import type { Clock } from './clock.ts';

/** Limit on remembered buckets; beyond it the least recently used is forgotten. */
export const MAX_TOKEN_BUCKETS = 50_000;

export interface TokenBucketsOptions {
  readonly clock: Pick<Clock, 'monoMs'>;
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** Refill: `tokens` every `perMs`, evenly. */
  readonly refill: { readonly tokens: number; readonly perMs: number };
  /** Default: `MAX_TOKEN_BUCKETS`. */
  readonly maxBuckets?: number;
}

/** The result of asking for a token. */
export interface TokenDraw {
  readonly isTaken: boolean;
  /** Tokens left in the bucket, including fractions. */
  readonly tokens: number;
  /** Time until there is a token; 0 if one was taken. Whole milliseconds, rounded up. */
  readonly waitMs: number;
  /** Puts the tokens back, once. Does nothing if none was taken. */
  giveBack(): void;
}

/** How large the buckets of one policy are, and how fast they fill. */
export type BucketSize = Pick<TokenBucketsOptions, 'burst' | 'refill'>;

/** Buckets of this process, or those that several share: then a draw takes a moment. */
export interface TokenSource {
  take(key: string): TokenDraw | Promise<TokenDraw>;
}

/** The buckets of a policy. */
export type CreateTokenSource = (policy: string, size: BucketSize) => TokenSource;

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

  /** `amount`: tokens to take, all or none; at most `burst`. */
  take(key: string, amount = 1): TokenDraw {
    const bucket = this.#fill(key);
    if (bucket.tokens < amount) {
      const waitMs = Math.ceil(this.#msFor(amount - bucket.tokens));
      return { isTaken: false, tokens: bucket.tokens, waitMs, giveBack: () => undefined };
    }
    bucket.tokens -= amount;
    let isBack = false;
    const giveBack = () => {
      if (!isBack) bucket.tokens = Math.min(this.#options.burst, bucket.tokens + amount);
      isBack = true;
    };
    return { isTaken: true, tokens: bucket.tokens, waitMs: 0, giveBack };
  }

  /** Tokens available now. Does not count as use, and creates no bucket. */
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
