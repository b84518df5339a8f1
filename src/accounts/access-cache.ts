/**
 * Caches credentials that expire, by the hash of their text, so that a request costs no query. Everything is dropped as soon as the store
 * reports a change that it depends on, and reread after a second in case another node made the change.
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { waitingBrieflyIf } from '../store/brief-waits.ts';
import type { EntityKind, Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import { RecentCredentials } from './recent-credentials.ts';

const MAX_CACHED = 1_000;
/** How long something may still work after another node ended it. */
const MAX_AGE_MS = 1_000;
/** If the store is unavailable, a credential can end access for this long after its last read. */
export const MAX_AWAY_MS = 15 * 60_000;

export interface ExpiringAccess {
  /** The credential's holder: organizations share the cache. */
  readonly holderUuid: Ruuid;
  /** First millisecond at which it no longer works. */
  readonly expiresAtMs: number;
}

export interface AccessCacheOptions<Access extends ExpiringAccess> {
  readonly store: Pick<Store, 'onChange'>;
  readonly clock: Clock;
  /** The kinds whose changes make it look again. */
  readonly restsOn: readonly EntityKind[];
  /** Asks the store; null: nothing has this hash, or it has ended. */
  readonly read: (hash: string) => Promise<Access | null>;
}

interface Cached<Access> {
  readonly access: Access;
  readonly readAtMonoMs: number;
}

export class AccessCache<Access extends ExpiringAccess> {
  readonly #clock: Clock;
  readonly #readFromStore: (hash: string) => Promise<Access | null>;
  readonly #cached = new RecentCredentials<Cached<Access>>(MAX_CACHED);
  readonly #unsubscribe: () => void;
  /** Incremented by every change: a read from before a change is not kept after it. */
  #generation = 0;

  constructor({ store, clock, restsOn, read }: AccessCacheOptions<Access>) {
    this.#clock = clock;
    this.#readFromStore = read;
    this.#unsubscribe = store.onChange(({ entity }) => {
      if (!restsOn.includes(entity)) return;
      this.#generation += 1;
      this.#cached.clear();
    });
  }

  /** The current access of the credential with this hash; null: none. `endsAccess`: if the store is unavailable, a recent read counts. */
  async find(hash: string, endsAccess = false): Promise<Access | null> {
    const access = await this.#read(hash, endsAccess);
    return access !== null && this.#clock.epochMs() < access.expiresAtMs ? access : null;
  }

  /** True if this hash was valid recently. */
  knows(hash: string): boolean {
    return this.#cached.has(hash);
  }

  close(): void {
    this.#unsubscribe();
    this.#cached.clear();
  }

  async #read(hash: string, endsAccess: boolean): Promise<Access | null> {
    const cached = this.#cached.get(hash);
    if (cached === undefined) return this.#reread(hash);
    const ageMs = this.#clock.monoMs() - cached.readAtMonoMs;
    if (ageMs < MAX_AGE_MS) return cached.access;
    const isEnough = endsAccess && ageMs < MAX_AWAY_MS;
    return waitingBrieflyIf(isEnough, () => this.#reread(hash)).catch((thrown: unknown) => {
      if (isEnough && isStoreAway(thrown)) return cached.access;
      throw thrown;
    });
  }

  async #reread(hash: string): Promise<Access | null> {
    const generation = this.#generation;
    const access = await this.#readFromStore(hash);
    if (generation !== this.#generation) return this.#readFromStore(hash);
    if (access === null) this.#cached.delete(hash);
    else this.#cached.put(hash, access.holderUuid, { access, readAtMonoMs: this.#clock.monoMs() });
    return access;
  }
}
