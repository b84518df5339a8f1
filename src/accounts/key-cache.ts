/**
 * Caches API keys by the hash of their text, so that a request costs no query. An entry is dropped as soon as the store
 * reports a change of its key, and reread after a second in case another node made the change. While the store is unavailable, a
 * key that was read recently still ends access, unless its own end is what waits for the store.
 */

import type { Clock } from '../core/clock.ts';
import { waitingBrieflyIf } from '../store/brief-waits.ts';
import type { ApiKey } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import { MAX_AWAY_MS } from './access-cache.ts';
import { type EndedCredentials, endedName } from './ended-credentials.ts';
import { RecentCredentials } from './recent-credentials.ts';

const MAX_CACHED_KEYS = 1_000;
/** How long a key may still work after another node revoked it. */
const MAX_AGE_MS = 1_000;

interface CachedKey {
  readonly key: ApiKey;
  readonly readAtMonoMs: number;
}

export class KeyCache {
  readonly #store: Pick<Store, 'apiKeys' | 'onChange'>;
  readonly #clock: Clock;
  readonly #keys = new RecentCredentials<CachedKey>(MAX_CACHED_KEYS);
  readonly #ended: EndedCredentials;
  readonly #unsubscribe: () => void;
  /** Incremented by every change: a row read before a change is not kept after it. */
  #generation = 0;

  /** `ended`: keys that have ended although the store has them as working. */
  constructor(store: Pick<Store, 'apiKeys' | 'onChange'>, clock: Clock, ended: EndedCredentials = new Set()) {
    this.#store = store;
    this.#clock = clock;
    this.#ended = ended;
    this.#unsubscribe = store.onChange((event) => {
      if (event.entity !== 'apiKey') return;
      this.#generation += 1;
      this.#keys.deleteWhere(({ key }) => key.uuid === event.uuid);
    });
  }

  /**
   * The key with this hash, revoked or not; null if there is none. Unknown hashes are never cached. `endsAccess`: if the store is
   * unavailable, a recent read counts.
   */
  async find(keyHash: string, endsAccess = false): Promise<ApiKey | null> {
    const known = this.#keys.get(keyHash)?.key;
    // A known end counts, whatever the store returns, and even if it does not respond.
    const isEnded = known !== undefined && this.#ended.has(endedName(known));
    const key = isEnded ? known : await this.#find(keyHash, endsAccess);
    return key !== null && this.#ended.has(endedName(key))
      ? { ...key, revokedAtMs: key.revokedAtMs ?? 0 }
      : key;
  }

  async #find(keyHash: string, endsAccess: boolean): Promise<ApiKey | null> {
    const cached = this.#keys.get(keyHash);
    if (cached === undefined) return this.#read(keyHash);
    const ageMs = this.#clock.monoMs() - cached.readAtMonoMs;
    if (ageMs < MAX_AGE_MS) return cached.key;
    const isEnough = endsAccess && ageMs < MAX_AWAY_MS;
    return waitingBrieflyIf(isEnough, () => this.#read(keyHash)).catch((thrown: unknown) => {
      if (isEnough && isStoreAway(thrown)) return cached.key;
      throw thrown;
    });
  }

  async #read(keyHash: string): Promise<ApiKey | null> {
    const generation = this.#generation;
    const key = await this.#store.apiKeys.findByHash(keyHash);
    if (generation !== this.#generation) return this.#store.apiKeys.findByHash(keyHash);
    if (key === null) this.#keys.delete(keyHash);
    else this.#keys.put(keyHash, key.orgUuid, { key, readAtMonoMs: this.#clock.monoMs() });
    return key;
  }

  /** True if this hash recently belonged to a key. */
  knows(keyHash: string): boolean {
    return this.#keys.has(keyHash);
  }

  close(): void {
    this.#unsubscribe();
    this.#keys.clear();
  }
}
