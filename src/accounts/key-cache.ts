/**
 * Caches API keys by the hash of their text, so that a request costs no query. An entry is dropped as soon as the store
 * reports a change of any key, and reread after a few seconds in case another node made the change.
 */

import type { Clock } from '../core/clock.ts';
import type { ApiKey } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import { MAX_AWAY_MS } from './access-cache.ts';

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
  readonly #keys = new Map<string, CachedKey>();
  readonly #unsubscribe: () => void;
  /** Incremented by every change: a row read before a change is not kept after it. */
  #generation = 0;

  constructor(store: Pick<Store, 'apiKeys' | 'onChange'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#unsubscribe = store.onChange((event) => {
      if (event.entity !== 'apiKey') return;
      this.#generation += 1;
      this.#keys.clear();
    });
  }

  /**
   * The key with this hash, revoked or not; null if there is none. Unknown hashes are never cached. `endsAccess`: while the store is
   * away, a key that was seen recently will do.
   */
  async find(keyHash: string, endsAccess = false): Promise<ApiKey | null> {
    const cached = this.#keys.get(keyHash);
    if (cached === undefined) return this.#read(keyHash);
    const ageMs = this.#clock.monoMs() - cached.readAtMonoMs;
    if (ageMs < MAX_AGE_MS) return cached.key;
    return this.#read(keyHash).catch((thrown: unknown) => {
      if (endsAccess && ageMs < MAX_AWAY_MS && isStoreAway(thrown)) return cached.key;
      throw thrown;
    });
  }

  async #read(keyHash: string): Promise<ApiKey | null> {
    const generation = this.#generation;
    const key = await this.#store.apiKeys.findByHash(keyHash);
    if (generation !== this.#generation) return this.#store.apiKeys.findByHash(keyHash);
    this.#keys.delete(keyHash);
    if (key !== null) this.#keep(keyHash, key);
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

  #keep(keyHash: string, key: ApiKey): void {
    if (this.#keys.size >= MAX_CACHED_KEYS) {
      const oldest = this.#keys.keys().next();
      if (!oldest.done) this.#keys.delete(oldest.value);
    }
    this.#keys.set(keyHash, { key, readAtMonoMs: this.#clock.monoMs() });
  }
}
