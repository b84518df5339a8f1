/**
 * Removes links that expired long ago: shares, links to video walls and shared groups. They cannot be opened, and take memory and room in
 * lists. The audit trail still lists them.
 */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { LeasedSweep, type SweepTurn } from '../store/leased-sweep.ts';
import type { Store } from '../store/store.ts';
import type { ShareService } from './share-service.ts';
import { SHARED_FILE_KINDS } from './shared-group.ts';
import type { SharedGroupService } from './shared-group-service.ts';
import type { WallShareService } from './wall-share-service.ts';

/** After its expiration, a link can still be extended, and is listed. */
export const KEPT_AFTER_EXPIRATION_SEC = 30 * 86_400;
export const FIRST_SWEEP_AFTER_MS = 120_000;
/** Links that are removed before others' requests get a turn. */
const LINKS_PER_SLICE = 50;

export interface ExpiredSharesOptions {
  readonly store: Pick<Store, 'organizations' | 'shares' | 'leases'>;
  readonly shares: Pick<ShareService, 'remove'>;
  readonly wallShares: Pick<WallShareService, 'list' | 'remove'>;
  readonly sharedGroups: Pick<SharedGroupService, 'list' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class ExpiredShares {
  readonly #options: ExpiredSharesOptions;
  readonly #sweep: LeasedSweep;

  /** Sweeps for the first time in a moment, and every hour after that. */
  constructor(options: ExpiredSharesOptions) {
    this.#options = options;
    this.#sweep = new LeasedSweep({
      leases: options.store.leases,
      name: 'expired shares',
      what: 'expired links',
      firstAfterMs: FIRST_SWEEP_AFTER_MS,
      sweep: (turn) => this.#removeExpired(turn),
      clock: options.clock,
      log: options.log,
    });
  }

  stop(): Promise<void> {
    return this.#sweep.stop();
  }

  async #removeExpired(turn: SweepTurn): Promise<number> {
    const { store, shares, wallShares, sharedGroups, clock, log } = this.#options;
    const beforeSec = Math.floor(clock.epochMs() / 1_000) - KEPT_AFTER_EXPIRATION_SEC;
    const isOver = ({ expiresAtSec }: { readonly expiresAtSec: number | null }) =>
      expiresAtSec !== null && expiresAtSec < beforeSec;
    let removed = 0;
    // One that cannot be removed now does not keep the others.
    const removeAll = async (links: readonly { uuid: Ruuid }[], remove: (uuid: Ruuid) => Promise<void>) => {
      for (const { uuid } of links) {
        if (turn.isOver) return;
        try {
          await remove(uuid);
          removed++;
        } catch (thrown) {
          log.warn({ err: toGatewayError(thrown), link: uuid }, 'expired link not removed');
        }
      }
      if (links.length > 0) await turn.pause();
    };
    for (const { uuid: orgUuid } of await store.organizations.list()) {
      for (let before = -1; removed > before && !turn.isOver; ) {
        before = removed;
        const expired = await store.shares.listExpired(orgUuid, beforeSec, LINKS_PER_SLICE);
        await removeAll(expired, (uuid) => shares.remove(orgUuid, uuid));
      }
      const ofWalls = (await wallShares.list(orgUuid)).filter(isOver);
      await removeAll(ofWalls, (uuid) => wallShares.remove(orgUuid, uuid));
      for (const kind of SHARED_FILE_KINDS) {
        const groups = (await sharedGroups.list(orgUuid, kind)).filter(({ body }) => isOver(body));
        await removeAll(groups, (uuid) => sharedGroups.remove(orgUuid, kind, uuid));
      }
    }
    return removed;
  }
}
