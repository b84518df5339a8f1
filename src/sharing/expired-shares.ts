/**
 * Removes links that expired long ago: shares, links to video walls and shared groups. They cannot be opened, and take memory and room in
 * lists. The audit trail still lists them. If several gateways share a database, one of them sweeps.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { HeldLease } from '../store/held-lease.ts';
import type { Store } from '../store/store.ts';
import type { ShareService } from './share-service.ts';
import { SHARED_FILE_KINDS } from './shared-group.ts';
import type { SharedGroupService } from './shared-group-service.ts';
import type { WallShareService } from './wall-share-service.ts';

/** After its expiration, a link can still be extended, and is listed. */
export const KEPT_AFTER_EXPIRATION_SEC = 30 * 86_400;
export const SWEEP_INTERVAL_MS = 3_600_000;
export const FIRST_SWEEP_AFTER_MS = 120_000;
/** Links that are removed before others' requests get a turn. */
const LINKS_PER_SLICE = 50;
const SLICE_PAUSE_MS = 50;
const LEASE_NAME = 'expired shares';

export interface ExpiredSharesOptions {
  readonly store: Pick<Store, 'organizations' | 'shares' | 'leases'>;
  readonly shares: Pick<ShareService, 'remove'>;
  readonly wallShares: Pick<WallShareService, 'list' | 'remove'>;
  readonly sharedGroups: Pick<SharedGroupService, 'list' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class ExpiredShares {
  readonly #owner = newRuuid();
  readonly #options: ExpiredSharesOptions;
  #timer: TimerHandle;
  #sweeping: Promise<void> = Promise.resolve();
  #endPause: (() => void) | null = null;
  #isStopped = false;

  /** Sweeps for the first time in a moment, and every hour after that. */
  constructor(options: ExpiredSharesOptions) {
    this.#options = options;
    this.#timer = this.#arm(FIRST_SWEEP_AFTER_MS);
  }

  /** Resolves when no link is being removed anymore. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.cancel();
    this.#endPause?.();
    await this.#sweeping;
  }

  /** Removes what expired long ago, until `lost` is aborted. Resolves with how many links. Rejects like the store. */
  async sweep(lost: AbortSignal = new AbortController().signal): Promise<number> {
    const { store, shares, wallShares, sharedGroups, clock, log } = this.#options;
    const beforeSec = Math.floor(clock.epochMs() / 1_000) - KEPT_AFTER_EXPIRATION_SEC;
    const isOver = ({ expiresAtSec }: { readonly expiresAtSec: number | null }) =>
      expiresAtSec !== null && expiresAtSec < beforeSec;
    let removed = 0;
    // One that cannot be removed now does not keep the others.
    const removeAll = async (links: readonly { uuid: Ruuid }[], remove: (uuid: Ruuid) => Promise<void>) => {
      for (const { uuid } of links) {
        if (this.#isStopped || lost.aborted) return;
        try {
          await remove(uuid);
          removed++;
        } catch (thrown) {
          log.warn({ err: toGatewayError(thrown), link: uuid }, 'expired link not removed');
        }
      }
      if (links.length > 0) await this.#pause();
    };
    for (const { uuid: orgUuid } of await store.organizations.list()) {
      for (let before = -1; removed > before && !this.#isStopped && !lost.aborted; ) {
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

  #arm(delayMs: number): TimerHandle {
    return this.#options.clock.after(delayMs, () => {
      this.#sweeping = this.#sweepInTurn()
        .catch((thrown) => {
          this.#options.log.error({ err: toGatewayError(thrown) }, 'expired links not removed');
        })
        .finally(() => {
          if (!this.#isStopped) this.#timer = this.#arm(SWEEP_INTERVAL_MS);
        });
    });
  }

  async #sweepInTurn(): Promise<void> {
    const { store, clock, log } = this.#options;
    const lease = await HeldLease.take(store.leases, LEASE_NAME, this.#owner, clock);
    if (lease === null) return;
    try {
      const links = await this.sweep(lease.lost);
      if (links > 0) log.info({ links }, 'expired links removed');
    } finally {
      await lease.release();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped) {
        resolve();
        return;
      }
      const timer = this.#options.clock.after(SLICE_PAUSE_MS, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
