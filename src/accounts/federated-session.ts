/**
 * Federated sessions: short-lived tokens that pages send, so that no API key has to be in a page. A session can read
 * cameras, locations and events with the rights of the key that created it, and cannot change anything. A session for one
 * device can read only that device.
 */

import type { Clock } from '../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { ApiKey } from '../store/entities.ts';
import { type ResourceKind, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { AccessCache, type ExpiringAccess } from './access-cache.ts';
import { isKeyWorking, keyEndMs } from './key-end.ts';

export interface FederatedSessionBody {
  /** The API key that created the session, and that key's organization. */
  readonly keyUuid: Ruuid;
  readonly keyOrgUuid: Ruuid;
  /** The host whose pages can use it; null: any. */
  readonly domain: string | null;
  /** The one device that it can read; null or, in older sessions, absent: all. */
  readonly deviceUuid?: Ruuid | null;
  readonly expiresAtMs: number;
}

/** The token is not stored: the uuid is derived from its hash. */
export const FEDERATED_SESSIONS: ResourceKind<FederatedSessionBody> = resourceKind('federatedSession');

/** `tokenHash`: SHA-256 as hex. */
export function federatedSessionUuid(tokenHash: string): Ruuid {
  return deriveRuuid('federated session', tokenHash);
}

/** The access of a session. */
export interface SessionAccess extends ExpiringAccess {
  readonly orgUuid: Ruuid;
  readonly key: ApiKey;
  readonly domain: string | null;
  /** The one device that it can read; null: all. */
  readonly deviceUuid: Ruuid | null;
}

export type FederatedSessionCache = AccessCache<SessionAccess>;

/** Sessions by the hash of their token. */
export function createFederatedSessionCache(
  store: Pick<Store, 'resources' | 'apiKeys' | 'onChange'>,
  clock: Clock,
): FederatedSessionCache {
  const sessions = store.resources.of(FEDERATED_SESSIONS);
  return new AccessCache({
    store,
    clock,
    restsOn: ['federatedSession', 'apiKey'],
    async read(tokenHash) {
      const session = await sessions.findEverywhere(federatedSessionUuid(tokenHash));
      if (session === null) return null;
      const { keyUuid, keyOrgUuid, domain, deviceUuid = null } = session.body;
      const key = await store.apiKeys.find(keyOrgUuid, keyUuid);
      if (key === null || !isKeyWorking(key, clock.epochMs())) return null;
      const { orgUuid } = session;
      const expiresAtMs = Math.min(session.body.expiresAtMs, keyEndMs(key));
      return { orgUuid, key, domain, deviceUuid, expiresAtMs, holderUuid: orgUuid };
    },
  });
}

/**
 * Whether a page can use a session of `domain`: `origin` is what its browser reports. A client that is not a page reports
 * nothing, and needs only the token.
 */
export function isFromDomain(origin: string | undefined, domain: string | null): boolean {
  if (domain === null || origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
