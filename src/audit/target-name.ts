/** The name of a change's target. */

import type { ResourceKindName } from '../store/resource.ts';
import { resourceKind } from '../store/resource.ts';
import type { ChangeEvent, Store } from '../store/store.ts';

/** null if it no longer exists. */
export async function nameOfTarget(store: Store, change: ChangeEvent): Promise<string | null> {
  const { entity, orgUuid, uuid } = change;
  if (change.type === 'DELETE') return null;
  switch (entity) {
    case 'organization':
      return (await store.organizations.find(uuid))?.name ?? null;
    case 'apiKey':
      return (await store.apiKeys.find(orgUuid, uuid))?.name ?? null;
    case 'location':
      return (await store.locations.find(orgUuid, uuid))?.name ?? null;
    case 'nvr':
      return (await store.nvrs.find(orgUuid, uuid))?.name ?? null;
    case 'camera':
      return (await store.cameras.find(orgUuid, uuid))?.name ?? null;
    case 'share':
      return (await store.shares.find(orgUuid, uuid))?.name ?? null;
    case 'schedule':
      return (await store.schedules.find(orgUuid, uuid))?.name ?? null;
    case 'oauthApplication':
      return (await store.oauthApplications.find(orgUuid, uuid))?.name ?? null;
    case 'oauthGrant':
      return null;
    default:
      return nameOfResource(store, change, entity);
  }
}

async function nameOfResource(
  store: Store,
  { orgUuid, uuid }: ChangeEvent,
  kind: ResourceKindName,
): Promise<string | null> {
  const resource = await store.resources.of(resourceKind<object>(kind)).find(orgUuid, uuid);
  return resource?.name ?? null;
}
