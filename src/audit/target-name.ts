/** The name of a change's target. */

import type { ResourceKindName } from '../store/resource.ts';
import { resourceKind } from '../store/resource.ts';
import type { ChangeEvent, Store } from '../store/store.ts';

/** null if it no longer exists. */
export async function nameOfTarget(store: Store, change: ChangeEvent): Promise<string | null> {
  const { entity, orgUuid, uuid } = change;
  // An alert that is reopened or released stays.
  if (entity === 'alertAcknowledgement' || entity === 'alertTaking') return nameOfAlert(store, change);
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
    case 'videoWall':
      return (await store.videoWalls.find(orgUuid, uuid))?.name ?? null;
    case 'wallShare':
      return nameOfSharedWall(store, change);
    case 'person':
      return (await store.people.find(orgUuid, uuid))?.name ?? null;
    case 'consoleSession':
      return nameOfSession(store, change);
    case 'passkey':
      return (await store.passkeys.find(orgUuid, uuid))?.name ?? null;
    case 'oauthApplication':
      return (await store.oauthApplications.find(orgUuid, uuid))?.name ?? null;
    case 'oauthGrant':
    case 'endedView':
    case 'policyAlert':
    case 'componentEvent':
      return null;
    default:
      return nameOfResource(store, change, entity);
  }
}

/** A share of a wall goes by the wall's name. */
async function nameOfSharedWall(store: Store, { orgUuid, uuid }: ChangeEvent): Promise<string | null> {
  const share = await store.wallShares.find(orgUuid, uuid);
  const wall = share === null ? null : await store.videoWalls.find(orgUuid, share.wallUuid);
  return wall?.name ?? null;
}

/** A console session goes by its person's name. */
async function nameOfSession(store: Store, { orgUuid, uuid }: ChangeEvent): Promise<string | null> {
  const session = await store.consoleSessions.find(orgUuid, uuid);
  const person = session === null ? null : await store.people.find(orgUuid, session.personUuid);
  return person?.name ?? null;
}

/** An alert goes by what it says happened. */
async function nameOfAlert(store: Store, { orgUuid, uuid }: ChangeEvent): Promise<string | null> {
  const alert = await store.events.find(orgUuid, 'policyAlert', uuid);
  if (alert === null) return null;
  const { textDescription, policyAlertTriggers = [] } = alert.body as {
    readonly textDescription?: string;
    readonly policyAlertTriggers?: readonly string[];
  };
  return textDescription || policyAlertTriggers.join(', ') || null;
}

async function nameOfResource(
  store: Store,
  { orgUuid, uuid }: ChangeEvent,
  kind: ResourceKindName,
): Promise<string | null> {
  const resource = await store.resources.of(resourceKind<object>(kind)).find(orgUuid, uuid);
  return resource?.name ?? null;
}
