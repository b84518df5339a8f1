/**
 * Limits how often one share, or one device with one credential, is opened by one subscriber. Each opening makes a grant, and a client that makes thousands
 * per second is not there to watch. An office of a thousand phones behind one address, or a puller that requests the
 * bare URL every few seconds, never notices. Nodes that share a Redis count together (counters/redis-rate-limiter.ts).
 */

import type { Clock } from '../core/clock.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { type CreateTokenSource, TokenBuckets, type TokenSource } from '../core/token-buckets.ts';

/** The burst, in minutes' worth of openings: after a restart of the gateway, all viewers reconnect at the same time. */
export const OPENS_BURST_MINUTES = 2;
const MS_PER_MINUTE = 60_000;

export class OpenLimiter {
  readonly #buckets: TokenSource;

  /** `shared`: absent or null: this process counts. */
  constructor(options: { clock: Clock; perMinute: number; shared?: CreateTokenSource | null }) {
    const { clock, perMinute, shared } = options;
    const size = {
      burst: perMinute * OPENS_BURST_MINUTES,
      refill: { tokens: perMinute, perMs: MS_PER_MINUTE },
    };
    this.#buckets = shared?.('opening', size) ?? new TokenBuckets({ clock, ...size });
  }

  /** `opened`: the share or device. 0: it may be opened. Otherwise the milliseconds until it may be. */
  async take(opened: string, address: string): Promise<number> {
    return (await this.#buckets.take(`${opened} ${subscriberOf(address)}`)).waitMs;
  }
}
