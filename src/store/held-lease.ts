/**
 * A lease that is kept for as long as a piece of work takes. If it is lost, because this process was paused or the
 * database unavailable for longer than it lasts, the work is aborted before another gateway can have begun with it.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Lease, LeaseRepository } from './lease.ts';

/** How long others wait after a gateway that was killed. */
export const LEASE_MS = 30_000;
/** How often gateways look for what another one left. */
export const TAKEOVER_INTERVAL_MS = 10_000;
const KEEP_INTERVAL_MS = LEASE_MS / 3;

export class HeldLease {
  /** null: no other gateway uses the database. */
  readonly #lease: Lease | null;
  readonly #leases: LeaseRepository;
  readonly #clock: Clock;
  readonly #lost = new AbortController();
  #keptMonoMs: number;
  #timer: TimerHandle | null = null;
  #isDone = false;

  private constructor(leases: LeaseRepository, lease: Lease | null, clock: Clock, takenMonoMs: number) {
    this.#leases = leases;
    this.#lease = lease;
    this.#clock = clock;
    this.#keptMonoMs = takenMonoMs;
    if (lease !== null) this.#arm();
  }

  /** null: another gateway has it. Rejects like the store. */
  static async take(
    leases: LeaseRepository,
    name: string,
    owner: Ruuid,
    clock: Clock,
  ): Promise<HeldLease | null> {
    if (!leases.isShared) return new HeldLease(leases, null, clock, 0);
    // The lease begins later than this, so it ends later, too.
    const takenMonoMs = clock.monoMs();
    const lease = await leases.take(name, owner, LEASE_MS);
    return lease === null ? null : new HeldLease(leases, lease, clock, takenMonoMs);
  }

  /** One that was just taken, such as from a gateway that was killed. */
  static of(leases: LeaseRepository, lease: Lease, clock: Clock, takenMonoMs: number): HeldLease {
    return new HeldLease(leases, lease, clock, takenMonoMs);
  }

  /** Aborted when another gateway may have the lease. */
  get lost(): AbortSignal {
    if (this.#isOver()) this.#lost.abort();
    return this.#lost.signal;
  }

  /** Gives it back. Idempotent. A store that cannot be reached lets it expire. */
  async release(): Promise<void> {
    if (!this.#end()) return;
    await this.#leases.release(this.#lease!).catch(() => undefined);
  }

  /** Keeps the others from it for a while, although the work is done. Like `release` in all else. */
  async leaveFor(ms: number): Promise<void> {
    if (!this.#end()) return;
    await this.#leases.keep(this.#lease!, ms).catch(() => undefined);
  }

  /** False: there is nothing to give back. */
  #end(): boolean {
    const isHeld = this.#lease !== null && !this.#isDone;
    this.#isDone = true;
    this.#timer?.cancel();
    return isHeld;
  }

  #isOver(): boolean {
    return this.#lease !== null && this.#clock.monoMs() - this.#keptMonoMs >= LEASE_MS;
  }

  #arm(): void {
    this.#timer = this.#clock.after(KEEP_INTERVAL_MS, () => void this.#keep());
  }

  async #keep(): Promise<void> {
    const beganMonoMs = this.#clock.monoMs();
    // A store that cannot be reached may be reached in time.
    const isKept = await this.#leases.keep(this.#lease!, LEASE_MS).catch(() => null);
    if (isKept === true) this.#keptMonoMs = beganMonoMs;
    if (isKept === false || this.#isOver()) this.#lost.abort();
    else if (!this.#isDone) this.#arm();
  }
}
