/** OAuth access tokens by the hash of their text. */

import type { Clock } from '../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { ApiKey } from '../store/entities.ts';
import type { OAuthGrant } from '../store/oauth.ts';
import type { Store } from '../store/store.ts';
import { AccessCache, type ExpiringAccess } from './access-cache.ts';
import { isKeyWorking, keyEndMs } from './key-end.ts';

/** Names a token without revealing it. `tokenHash`: SHA-256 as hex. */
export function accessTokenUuid(tokenHash: string): Ruuid {
  return deriveRuuid('access token', tokenHash);
}

/** The access of an access token. */
export interface GrantedAccess extends ExpiringAccess {
  readonly grant: OAuthGrant;
  /** The key that gave the grant: the token has its rights and ends with it. */
  readonly key: ApiKey;
}

export type AccessTokenCache = AccessCache<GrantedAccess>;

export function createAccessTokenCache(
  store: Pick<Store, 'oauthGrants' | 'apiKeys' | 'onChange'>,
  clock: Clock,
): AccessTokenCache {
  return new AccessCache({
    store,
    clock,
    restsOn: ['oauthGrant', 'oauthApplication', 'apiKey'],
    async read(tokenHash) {
      const found = await store.oauthGrants.findToken(tokenHash);
      if (found === null || found.token.kind !== 'access') return null;
      const { grant, token } = found;
      const key = await store.apiKeys.find(grant.keyOrgUuid, grant.keyUuid);
      if (key === null || !isKeyWorking(key, clock.epochMs())) return null;
      return {
        grant,
        key,
        expiresAtMs: Math.min(token.expiresAtMs, keyEndMs(key)),
        holderUuid: grant.orgUuid,
      };
    },
  });
}
