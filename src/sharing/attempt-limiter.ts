/**
 * Limits wrong passwords per share and address: a token bucket that a guess takes from and a right password gives
 * back to. An IPv6 address counts as its /64, which is what one subscriber has.
 */

import { isIPv6 } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';

/** Buckets remembered; beyond it the one unused for longest is forgotten. */
export const MAX_ATTEMPT_BUCKETS = 50_000;

const MS_PER_MINUTE = 60_000;
const IPV6_GROUPS = 8;
const SUBSCRIBER_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

interface Bucket {
  tokens: number;
  filledMonoMs: number;
}

/** A guess that was let through. `forgive` gives it back; idempotent. */
export interface Attempt {
  forgive(): void;
}

export class AttemptLimiter {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #maxBuckets: number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  /** `perMinute`: guesses at once, and how many come back in a minute. */
  constructor(options: { clock: Clock; perMinute: number; maxBuckets?: number }) {
    this.#clock = options.clock;
    this.#perMinute = options.perMinute;
    this.#maxBuckets = options.maxBuckets ?? MAX_ATTEMPT_BUCKETS;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** An attempt, or the time until there is one. Taken before the password is checked, so that parallel guesses count. */
  take(shareUuid: Ruuid, address: string): Attempt | { readonly retryAfterMs: number } {
    const key = `${shareUuid} ${subscriberOf(address)}`;
    const bucket = this.#fill(key);
    if (bucket.tokens < 1) {
      return { retryAfterMs: Math.ceil(((1 - bucket.tokens) * MS_PER_MINUTE) / this.#perMinute) };
    }
    bucket.tokens--;
    let isForgiven = false;
    return {
      forgive: () => {
        if (!isForgiven) bucket.tokens = Math.min(this.#perMinute, bucket.tokens + 1);
        isForgiven = true;
      },
    };
  }

  #fill(key: string): Bucket {
    const nowMonoMs = this.#clock.monoMs();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#perMinute, filledMonoMs: nowMonoMs };
    const gained = ((nowMonoMs - bucket.filledMonoMs) * this.#perMinute) / MS_PER_MINUTE;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + gained);
    bucket.filledMonoMs = nowMonoMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#maxBuckets) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}

/** What is taken for one guesser: an IPv4 address (also when written as IPv6), or the first half of an IPv6 address. */
export function subscriberOf(address: string): string {
  const mapped = MAPPED_IPV4.exec(address);
  if (mapped !== null) return mapped[1]!;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%')[0]!.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + last < IPV6_GROUPS) groups.push('0');
    if (tail !== '') groups.push(...tail.split(':'));
  }
  const network = groups.slice(0, SUBSCRIBER_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
