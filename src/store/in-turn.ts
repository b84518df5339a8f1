/** Work that gateways on one database do one after the other: a rule over many records, which no single statement checks. */

import { type Clock, pause } from '../core/clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { HeldLease } from './held-lease.ts';
import type { LeaseRepository } from './lease.ts';

/** Between two attempts to get the turn. */
const TURN_PAUSE_MS = 50;

/** Resolves like `work`. After a gateway that was killed at work, its lease is waited for. Rejects like the store. */
export async function inTurn<T>(
  leases: LeaseRepository,
  name: string,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T> {
  const owner = newRuuid();
  for (;;) {
    const lease = await HeldLease.take(leases, `turn/${name}`, owner, clock);
    if (lease !== null) {
      try {
        return await work();
      } finally {
        await lease.release();
      }
    }
    await pause(clock, TURN_PAUSE_MS);
  }
}
