/**
 * OAuth access tokens by the hash of their text, so that a request costs no query. Everything is dropped as soon as the
 * store reports a change of a grant, an application or a key, and asked for again after a second in case another node
 * made the change.
 */

import type { Clock } from '../../core/clock.ts';
import type { ApiKey } from '../../store/entities.ts';
import type { OAuthGrant } from '../../store/oauth.ts';
import type { Store } from '../../store/store.ts';

const MAX_CACHED_TOKENS = 1_000;
/** How long a token that another node revoked may still work. */
const MAX_AGE_MS = 1_000;

type TokenStore = Pick<Store, 'oauthGrants' | 'apiKeys' | 'onChange'>;

/** What an access token stands for. */
export interface GrantedAccess {
  readonly grant: OAuthGrant;
  /** The key that gave the grant: the token has its rights, and dies with it. */
  readonly key: ApiKey;
  readonly expiresAtMs: number;
}

interface CachedAccess {
  readonly access: GrantedAccess;
  readonly readAtMonoMs: number;
}

export class AccessTokenCache {
  readonly #store: TokenStore;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, CachedAccess>();
  readonly #unsubscribe: () => void;
  /** Raised by every change: what was read before one is not kept after it. */
  #generation = 0;

  constructor(store: TokenStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#unsubscribe = store.onChange(({ entity }) => {
      if (entity !== 'oauthGrant' && entity !== 'oauthApplication' && entity !== 'apiKey') return;
      this.#generation += 1;
      this.#tokens.clear();
    });
  }

  /** The access that a token with this hash gives now; null when it gives none. */
  async find(tokenHash: string): Promise<GrantedAccess | null> {
    const access = await this.#read(tokenHash);
    return access !== null && this.#clock.epochMs() < access.expiresAtMs ? access : null;
  }

  /** True when this hash has lately been a token's. */
  knows(tokenHash: string): boolean {
    return this.#tokens.has(tokenHash);
  }

  close(): void {
    this.#unsubscribe();
    this.#tokens.clear();
  }

  async #read(tokenHash: string): Promise<GrantedAccess | null> {
    const cached = this.#tokens.get(tokenHash);
    if (cached !== undefined && this.#clock.monoMs() - cached.readAtMonoMs < MAX_AGE_MS) return cached.access;
    const generation = this.#generation;
    const access = await this.#fromStore(tokenHash);
    if (generation !== this.#generation) return this.#fromStore(tokenHash);
    this.#tokens.delete(tokenHash);
    if (access !== null) this.#keep(tokenHash, access);
    return access;
  }

  async #fromStore(tokenHash: string): Promise<GrantedAccess | null> {
    const found = await this.#store.oauthGrants.findToken(tokenHash);
    if (found === null || found.token.kind !== 'access') return null;
    const { grant, token } = found;
    const key = await this.#store.apiKeys.find(grant.keyOrgUuid, grant.keyUuid);
    if (key === null || key.revokedAtMs !== null) return null;
    return { grant, key, expiresAtMs: token.expiresAtMs };
  }

  #keep(tokenHash: string, access: GrantedAccess): void {
    if (this.#tokens.size >= MAX_CACHED_TOKENS) {
      const oldest = this.#tokens.keys().next();
      if (!oldest.done) this.#tokens.delete(oldest.value);
    }
    this.#tokens.set(tokenHash, { access, readAtMonoMs: this.#clock.monoMs() });
  }
}
