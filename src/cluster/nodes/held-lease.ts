/** A lease that this node holds, and until when, by its monotonic clock. */

import type { Ruuid } from '../../core/ruuid.ts';

/** How long a lease lasts in Redis. */
export const LEASE_MS = 2_000;
/** How often it is renewed. */
export const RENEWAL_MS = 400;
/** How long a command may take: less than the time between two renewals. */
export const COMMAND_TIMEOUT_MS = 300;
/**
 * In this time, the store only stands in for Redis, which is most likely late: a lease lasts as long as in Redis, and each
 * renewal beats.
 */
export const STAND_IN_MS = 3_000;
/**
 * After that, Redis counts as unavailable. This is how long leases of a node that relies on the store last after one of its
 * beats. It gives viewers new media within 10 s of the node's end.
 */
export const RELIANCE_MS = 9_000;
/** How often it beats then. */
export const BEAT_MS = 1_000;
/** A lease ends this much earlier for its holder than for others: for clocks that run at different rates. */
export const SAFETY_MS = 250;

/** Both times count from before the command was sent that proved them. The lease holds until the later one. */
export class HeldLease {
  readonly cameraUuid: Ruuid;
  readonly fence: number;
  #redisUntilMonoMs = 0;
  #storeUntilMonoMs = 0;

  constructor(cameraUuid: Ruuid, fence: number) {
    this.cameraUuid = cameraUuid;
    this.fence = fence;
  }

  get validUntilMonoMs(): number {
    return Math.max(this.#redisUntilMonoMs, this.#storeUntilMonoMs);
  }

  get redisUntilMonoMs(): number {
    return this.#redisUntilMonoMs;
  }

  get storeUntilMonoMs(): number {
    return this.#storeUntilMonoMs;
  }

  provedByRedis(sentMonoMs: number): void {
    this.#redisUntilMonoMs = sentMonoMs + LEASE_MS - SAFETY_MS;
  }

  provedByStore(sentMonoMs: number, aliveMs: number): void {
    this.#storeUntilMonoMs = sentMonoMs + aliveMs - SAFETY_MS;
  }

  missingInRedis(): void {
    this.#redisUntilMonoMs = 0;
  }

  notProvedByStore(): void {
    this.#storeUntilMonoMs = 0;
  }
}
