/**
 * Extended ends of device grants: the same grant, and the views that rest on it, continue. They are in memory only. Without one, a grant
 * ends at its own expiration.
 */

import type { Clock } from '../core/clock.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { DeviceGrant } from './device-grant.ts';

const MS_PER_SEC = 1_000;

type ExtendedGrant = Pick<DeviceGrant, 'viewerId' | 'expiresAtSec' | 'principal'>;

export class GrantExtensions {
  readonly #clock: Clock;
  /** First second at which a grant is no longer valid, by viewer ID; in the order of the last extension. */
  readonly #endsAtSec = new FairMap<number, typeof LIMITS.extendedGrants>(LIMITS.extendedGrants);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `orgUuid`: whose device it is. */
  extend({ viewerId, principal }: ExtendedGrant, endsAtSec: number, orgUuid: string): void {
    const nowSec = this.#clock.epochMs() / MS_PER_SEC;
    for (const [oldest, oldestEndSec] of this.#endsAtSec) {
      if (oldestEndSec > nowSec) break;
      this.#endsAtSec.delete(oldest);
    }
    this.#endsAtSec.set(viewerId, { organization: orgUuid, credential: principal.uuid }, endsAtSec);
  }

  /** First second at which the grant is no longer valid. */
  endOf({ viewerId, expiresAtSec }: Pick<ExtendedGrant, 'viewerId' | 'expiresAtSec'>): number {
    return Math.max(expiresAtSec, this.#endsAtSec.get(viewerId) ?? 0);
  }
}
