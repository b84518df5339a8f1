/** Sharing in the API's thread: the services, their counts, and the end of expired links. */

import { actingPrincipal } from '../../audit/acting-principal.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import type { Counters } from '../../counters/counters.ts';
import { openCounters } from '../../counters/open-counters.ts';
import type { AccessRules } from '../../sharing/access-rules.ts';
import { ExpiredShares } from '../../sharing/expired-shares.ts';
import { Passwords } from '../../sharing/password.ts';
import { ShareCatalog } from '../../sharing/share-catalog.ts';
import { countedShares, watchShareCounts } from '../../sharing/share-counts.ts';
import { createSharingServices, type SharingServices } from '../../sharing/sharing-services.ts';
import type { ApiSideOptions, GatewayLink } from './api-side-options.ts';
import type { ApiStore } from './api-store.ts';

export interface ApiShares {
  readonly sharing: SharingServices;
  readonly counters: Counters;
  readonly shareCatalog: ShareCatalog;
}

/** `redisUrl`: where shares are counted; null: in memory. */
export async function startShares(
  options: ApiSideOptions,
  { store, gatewayChanges }: Pick<ApiStore, 'store' | 'gatewayChanges'>,
  redisUrl: CredentialUrl | null,
): Promise<ApiShares> {
  const { data, now, gateway, clock, log, cleanup } = options;
  const counters = await openCounters(redisUrl, {
    clock,
    log,
    counts: 'shares',
    onReturned: async (returned) => returned.reconcile(await countedShares(store)),
  });
  cleanup.add('counters', () => counters.close());
  const watched = { store, elsewhere: gatewayChanges, counters, isShared: redisUrl !== null, clock, log };
  cleanup.add('share counts', await watchShareCounts(watched));
  const sharing = createSharingServices({
    store,
    counters,
    clock,
    rules: accessRules(gateway),
    passwords: new Passwords(),
    shareTokenKey: Buffer.from(data.shareTokenKey),
    publicMediaUrl: now.mediaUrl,
    publicRtspUrl: now.rtspUrl,
    signInDomains: data.oidc?.allowedDomains ?? null,
  });
  const expired = new ExpiredShares({ store, clock, log, ...sharing });
  cleanup.add('expired links', () => expired.stop());
  const shareCatalog = new ShareCatalog({ store, clock, log });
  cleanup.add('share catalog', async () => shareCatalog.close());
  return { sharing, counters, shareCatalog };
}

/** The rules that the media follow, which belong to the gateway. */
export function accessRules(gateway: GatewayLink): AccessRules {
  return {
    applied: (change) => gateway.applied(change),
    storeEnds: (uuid) => gateway.storeEnds(uuid),
    endAccess: (orgUuid, request) => gateway.endAccess(orgUuid, request, actingPrincipal()),
  };
}
