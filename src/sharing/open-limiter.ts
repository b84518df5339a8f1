/**
 * Limits how often one share is opened from one address. Each opening makes a grant, and somebody who makes thousands a
 * second has other things in mind than watching. An office of a thousand phones behind one address, or a puller that asks
 * for the bare URL every few seconds, never notices. An IPv6 address counts as its /64.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { TokenBuckets } from './token-buckets.ts';

/** So many minutes' worth of openings may come at once: everybody comes back when a gateway has restarted. */
export const OPENS_BURST_MINUTES = 2;

export class OpenLimiter {
  readonly #buckets: TokenBuckets;

  constructor(options: { clock: Clock; perMinute: number; maxBuckets?: number }) {
    this.#buckets = new TokenBuckets({ ...options, burst: options.perMinute * OPENS_BURST_MINUTES });
  }

  /** 0: it may be opened. Otherwise the milliseconds until it may. */
  take(shareUuid: Ruuid, address: string): number {
    const taken = this.#buckets.take(`${shareUuid} ${subscriberOf(address)}`);
    return typeof taken === 'number' ? taken : 0;
  }
}
