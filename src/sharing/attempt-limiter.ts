/**
 * Limits wrong passwords per share and address: a token bucket that a guess takes from and a right password gives
 * back to. An IPv6 address counts as its /64, which is what one subscriber has.
 */

import { isIPv6 } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { TokenBuckets } from './token-buckets.ts';

const IPV6_GROUPS = 8;
const SUBSCRIBER_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

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
