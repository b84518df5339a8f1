/**
 * Shares whose end the store could not save. They are closed in memory immediately, and their removal is retried
 * until it is stored, on behalf of the caller who asked for it. Only a gateway that restarts before that opens them
 * again, because it knows what is stored and nothing else.
 */

import { actAs } from '../audit/acting-principal.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ShareDirectory } from '../sharing/share-directory.ts';
import { SHARED_FILE_KINDS, SHARED_GROUPS } from '../sharing/shared-group.ts';
import type { AuditPrincipal } from '../store/audit.ts';
import type { Store } from '../store/store.ts';

/** Removals waiting to be stored; further shares are closed, but their removal must be requested again. */
export const MAX_UNSTORED_ENDS = 10_000;
/** Between two attempts. */
export const UNSTORED_RETRY_MS = 2_000;

export interface UnstoredEndsOptions {
  readonly store: {
    readonly shares: Pick<Store['shares'], 'remove'>;
    readonly wallShares: Pick<Store['wallShares'], 'remove'>;
    readonly resources: Store['resources'];
  };
  readonly directory: Pick<ShareDirectory, 'endShare' | 'endStored'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface UnstoredEnd {
  readonly orgUuid: Ruuid;
  readonly principal: AuditPrincipal;
}

export class UnstoredEnds {
  readonly #options: UnstoredEndsOptions;
  readonly #ends = new Map<Ruuid, UnstoredEnd>();
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: UnstoredEndsOptions) {
    this.#options = options;
  }

  /** Removals waiting to be stored. */
  get size(): number {
    return this.#ends.size;
  }

  /**
   * Closes the share and cuts off its viewers before this returns; false: the organization has no share with this
   * UUID, or it is not of this camera.
   */
  endShare(
    orgUuid: Ruuid,
    shareUuid: Ruuid,
    principal: AuditPrincipal,
    ofCamera: Ruuid | null = null,
  ): boolean {
    if (!this.#options.directory.endShare(orgUuid, shareUuid, ofCamera)) return false;
    if (this.#ends.size < MAX_UNSTORED_ENDS) this.#ends.set(shareUuid, { orgUuid, principal });
    this.#options.log.error({ share: shareUuid }, 'share end not stored yet');
    this.#arm();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #arm(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#options.clock.after(UNSTORED_RETRY_MS, () => void this.#retry());
  }

  async #retry(): Promise<void> {
    const { store, directory, log } = this.#options;
    for (const [uuid, { orgUuid, principal }] of this.#ends) {
      try {
        // Someone else may have removed it in the meantime: what matters is that it is gone.
        await actAs(principal, async () => {
          if (await store.shares.remove(orgUuid, uuid)) return;
          if (await store.wallShares.remove(orgUuid, uuid)) return;
          for (const kind of SHARED_FILE_KINDS) {
            if (await store.resources.of(SHARED_GROUPS[kind]).remove(orgUuid, uuid)) return;
          }
        });
      } catch (thrown) {
        log.debug({ share: uuid, err: toGatewayError(thrown) }, 'share end still not stored');
        break;
      }
      this.#ends.delete(uuid);
      directory.endStored(uuid);
      log.info({ share: uuid }, 'share end stored');
    }
    this.#timer = null;
    if (this.#ends.size > 0) this.#arm();
  }
}
