/** The API keys of the first start: those in the configuration, or new ones that are shown once. */

import type { Clock } from '../../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { Secret } from '../../core/secret.ts';
import { hashApiKey, makeApiKey } from '../../store/api-key-hash.ts';
import type { ApiKey, ApiKeyScheme } from '../../store/entities.ts';
import type { Store } from '../../store/store.ts';
import { DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID } from './default-organizations.ts';
import type { Config } from './schema.ts';

/** Keys that were made now and are known nowhere else; null: nothing to show. */
export interface MadeKeys {
  readonly apiKey: Secret | null;
  readonly partnerApiKey: Secret | null;
}

/**
 * Stores the configured keys' hashes, replacing a changed one. Without a configured key, makes one unless the organization
 * has a key of that scheme, revoked or not. If two gateways start at the same time, one makes it. Run after applyConfig,
 * which creates the organizations. Fails with STORE_DUPLICATE if a configured key is in use under another name.
 */
export async function ensureBootstrapKeys(store: Store, config: Config, clock: Clock): Promise<MadeKeys> {
  const { apiKey, partnerApiKey } = config.bootstrap;
  return {
    apiKey: await ensureKey(store, clock, DEFAULT_ORG_UUID, 'api', apiKey),
    partnerApiKey: await ensureKey(store, clock, DEFAULT_PARTNER_ORG_UUID, 'partner-api', partnerApiKey),
  };
}

/** The key if it was made here, null otherwise. */
async function ensureKey(
  store: Store,
  clock: Clock,
  orgUuid: Ruuid,
  scheme: ApiKeyScheme,
  configured: Secret | null,
): Promise<Secret | null> {
  const known = (await store.apiKeys.list(orgUuid)).filter((key) => key.scheme === scheme);
  if (configured === null && known.length > 0) return null;
  const key = configured ?? makeApiKey();
  const keyHash = hashApiKey(key.reveal());
  const uuid = deriveRuuid('api-key', `bootstrap ${scheme}`);
  const before = known.find((entry) => entry.uuid === uuid);
  // A revoked key stays revoked until the configuration has a different one.
  if (before?.keyHash === keyHash) return null;
  const made: ApiKey = {
    uuid,
    orgUuid,
    name: 'Installation key',
    scheme,
    role: 'admin',
    scope: null,
    keyHash,
    createdAtMs: clock.epochMs(),
    createdByUuid: null,
    revokedAtMs: null,
    expiresAtMs: null,
  };
  if (configured !== null) {
    await store.apiKeys.save(made);
    return null;
  }
  const { before: others } = await store.apiKeys.change(orgUuid, uuid, (now) => now ?? made);
  return others === null ? key : null;
}
