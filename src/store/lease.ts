/**
 * Leases by name, for work that several gateways on one database do only once. A gateway holds a lease until it gives it back or
 * the lease expires, by the database's clock. The holder compares when the work is done: a process that was paused for longer
 * than its lease finds that it has lost it.
 */

import type { Ruuid } from '../core/ruuid.ts';

/** One taking of a lease. */
export interface Lease {
  readonly name: string;
  /** UUID of one run of a process. */
  readonly owner: Ruuid;
  /** Higher for each taking by another owner. */
  readonly fence: number;
}

export interface LeaseRepository {
  /**
   * False: no other process works on these rows, so leases need not be taken. SQLite belongs to one gateway.
   */
  readonly isShared: boolean;
  /** A lease that is free, has expired or is the owner's own, from now on for `ttlMs`. null: another owner has it. */
  take(name: string, owner: Ruuid, ttlMs: number): Promise<Lease | null>;
  /**
   * Leases whose names begin with `prefix` and that have expired, at most `limit`, those that expired first. Simultaneous callers
   * get different ones.
   */
  takeExpired(prefix: string, owner: Ruuid, ttlMs: number, limit: number): Promise<Lease[]>;
  /** The lease ends `ttlMs` from now, even if it has expired, unless another owner took it. False: it is another owner's, or free. */
  keep(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Gives it back. False: it was lost before. */
  release(lease: Lease): Promise<boolean>;
  /** Gives back all that the owner has. */
  releaseAll(owner: Ruuid): Promise<void>;
}
