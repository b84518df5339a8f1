/** Ends of device grants that were put off: the same grant, and the views that rest on it, go on. In memory: without it, a grant ends when it says. */

import type { Clock } from '../core/clock.ts';
import type { DeviceGrant } from './device-grant.ts';

/** Grants in use at once; beyond this, the extension that ends first is forgotten. */
export const MAX_EXTENDED_GRANTS = 10_000;
const MS_PER_SEC = 1_000;

type ExtendedGrant = Pick<DeviceGrant, 'viewerId' | 'expiresAtSec'>;

export class GrantExtensions {
  readonly #clock: Clock;
  /** First second at which a grant is no longer valid, by viewer ID; in the order of the last extension. */
  readonly #endsAtSec = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  extend({ viewerId }: ExtendedGrant, endsAtSec: number): void {
    this.#endsAtSec.delete(viewerId);
    this.#endsAtSec.set(viewerId, endsAtSec);
    const nowSec = this.#clock.epochMs() / MS_PER_SEC;
    for (const [oldest, oldestEndSec] of this.#endsAtSec) {
      if (oldestEndSec > nowSec && this.#endsAtSec.size <= MAX_EXTENDED_GRANTS) return;
      this.#endsAtSec.delete(oldest);
    }
  }

  /** First second at which the grant is no longer valid. */
  endOf({ viewerId, expiresAtSec }: ExtendedGrant): number {
    return Math.max(expiresAtSec, this.#endsAtSec.get(viewerId) ?? 0);
  }
}
