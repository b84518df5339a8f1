/**
 * Which deliveries are this gateway's, of several on one database. It has a lease on each that is not finished, until
 * LEASE_MS after the next attempt is due. If it is killed, another gateway takes over then. Alone with its database, it
 * takes no leases.
 */

import type { Clock } from '../core/clock.ts';
import { isRuuid, newRuuid, type Ruuid } from '../core/ruuid.ts';
import { LEASE_MS } from '../store/held-lease.ts';
import type { Lease, LeaseRepository } from '../store/lease.ts';

/** The lease of a gateway that has its database for itself. */
export const OWN = 'own';
export type DeliveryLease = Lease | typeof OWN;

export interface AbandonedDelivery {
  readonly orgUuid: Ruuid;
  readonly uuid: Ruuid;
  readonly lease: Lease;
}

/** A response that comes later leaves too little of the lease for an attempt. */
const LATE_MS = LEASE_MS / 6;

export class DeliveryLeases {
  readonly #leases: LeaseRepository;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #owner = newRuuid();

  /** `prefix`: what the names of the leases begin with. */
  constructor(leases: LeaseRepository, clock: Clock, prefix: string) {
    this.#leases = leases;
    this.#clock = clock;
    this.#prefix = prefix;
  }

  get isShared(): boolean {
    return this.#leases.isShared;
  }

  /**
   * Takes the lease for an attempt that is due at `dueAtMs`, or now; null: another gateway has it. Rejects like the store.
   */
  async take(
    { orgUuid, uuid }: { readonly orgUuid: Ruuid; readonly uuid: Ruuid },
    dueAtMs = 0,
  ): Promise<DeliveryLease | null> {
    if (!this.isShared) return OWN;
    const heldMs = LEASE_MS + Math.max(0, dueAtMs - this.#clock.epochMs());
    for (;;) {
      const beganMonoMs = this.#clock.monoMs();
      const lease = await this.#leases.take(`${this.#prefix}${orgUuid}/${uuid}`, this.#owner, heldMs);
      if (lease === null || this.#clock.monoMs() - beganMonoMs < LATE_MS) return lease;
    }
  }

  /** Until the next attempt, which is due in `pauseMs`. False: another gateway has it. */
  async keep(lease: DeliveryLease, pauseMs: number): Promise<boolean> {
    if (lease === OWN) return true;
    // If the store cannot be reached, `take` before the attempt decides.
    return this.#leases.keep(lease, Math.max(0, pauseMs) + LEASE_MS).catch(() => true);
  }

  /** It is finished. If the store cannot be reached, the lease expires, and the gateway that takes it sees that. */
  async release(lease: DeliveryLease): Promise<void> {
    if (lease !== OWN) await this.#leases.release(lease).catch(() => undefined);
  }

  /** Deliveries of gateways that were killed. Rejects like the store. */
  async takeAbandoned(limit: number): Promise<AbandonedDelivery[]> {
    const leases = await this.#leases.takeExpired(this.#prefix, this.#owner, LEASE_MS, limit);
    return leases.flatMap((lease) => {
      const [orgUuid, uuid] = lease.name.slice(this.#prefix.length).split('/');
      return isRuuid(orgUuid) && isRuuid(uuid) ? [{ orgUuid, uuid, lease }] : [];
    });
  }

  /** Leaves all deliveries to other gateways immediately. If the store cannot be reached, the leases expire. */
  async releaseAll(): Promise<void> {
    if (this.isShared) await this.#leases.releaseAll(this.#owner).catch(() => undefined);
  }
}
