/** Writes an end that was in force before the store had it, and passes on the row that the store has then. Safe to repeat. */

import { lastAdmin } from '../accounts/person-rules.ts';
import type { AccessEnd, PersonEnd, RulesEnd } from '../store/access-end.ts';
import type { Person } from '../store/person.ts';
import type { NextRecord } from '../store/record-change.ts';
import type { Store } from '../store/store.ts';
import type { AccessRules } from './access-rules.ts';
import type { DeviceDirectory } from './device-directory.ts';
import { endEmergency } from './emergency-link.ts';
import { withHours, withoutCameras, withRules } from './end-merge.ts';
import { groupWithRules } from './ends-in-force.ts';
import { SHARED_FILE_KINDS, SHARED_GROUPS } from './shared-group.ts';

export type EndStore = Pick<
  Store,
  | 'shares'
  | 'wallShares'
  | 'resources'
  | 'schedules'
  | 'videoWalls'
  | 'apiKeys'
  | 'people'
  | 'consoleSessions'
  | 'oauthGrants'
>;

/** Where credentials that the store has now, or no longer has, are put. */
export type StoredCredentials = Pick<DeviceDirectory, 'applied'>;

/** Where rows that the store has now are put. */
export interface StoredRows {
  readonly rules: Pick<AccessRules, 'applied'>;
  readonly credentials: StoredCredentials;
}

/** Rejects like the store. */
export async function storeEnd(store: EndStore, end: AccessEnd, rows: StoredRows): Promise<void> {
  const { orgUuid, uuid } = end;
  const { rules, credentials } = rows;
  switch (end.kind) {
    case 'link':
      await removeLink(store, end);
      break;
    case 'rules':
      await storeRules(store, end, rows);
      break;
    case 'hours': {
      const { after } = await store.schedules.change(
        orgUuid,
        uuid,
        changedBy((schedule) => withHours(schedule, end)),
        'vital',
      );
      await rules.applied({ kind: 'schedule', uuid, record: after });
      break;
    }
    case 'wall': {
      const decide = changedBy<Parameters<typeof withoutCameras>[0]>((wall) => withoutCameras(wall, end));
      const { after } = await store.videoWalls.change(orgUuid, uuid, decide, 'vital');
      await rules.applied({ kind: 'wall', uuid, record: after });
      break;
    }
    case 'key': {
      const { after } = await store.apiKeys.change(
        orgUuid,
        uuid,
        changedBy((key) => (key.revokedAtMs === null ? { ...key, revokedAtMs: end.atMs } : key)),
        'vital',
      );
      if (after !== null) credentials.applied({ kind: 'key', uuid, record: after });
      break;
    }
    case 'grant':
      await store.oauthGrants.remove(orgUuid, uuid);
      credentials.applied({ kind: 'tokens', ended: { grantUuid: uuid } });
      break;
    case 'console':
      await store.consoleSessions.remove(orgUuid, uuid);
      credentials.applied({ kind: 'consoleSession', uuid, record: null });
      break;
    case 'person':
      await storePerson(store, end, credentials);
  }
}

async function storePerson(
  store: EndStore,
  { orgUuid, uuid, isRemoved }: PersonEnd,
  credentials: StoredCredentials,
): Promise<void> {
  const sessions = await store.consoleSessions.listByPerson(orgUuid, uuid);
  const decide = (known: Person | null): NextRecord<Person> => {
    if (known === null) return 'unchanged';
    if (isRemoved) return 'removed';
    return known.disabled ? 'unchanged' : { ...known, disabled: true };
  };
  const { after } = await store.people.changeKeepingAdmin(orgUuid, uuid, decide, lastAdmin);
  credentials.applied({ kind: 'person', uuid, record: after });
  for (const session of sessions) {
    await store.consoleSessions.remove(orgUuid, session.uuid);
    credentials.applied({ kind: 'consoleSession', uuid: session.uuid, record: null });
  }
}

/** Someone else may have removed it in the meantime, which is fine. */
async function removeLink(store: EndStore, { orgUuid, uuid, atMs, principal }: AccessEnd): Promise<void> {
  if (await store.shares.remove(orgUuid, uuid)) return;
  if (await store.wallShares.remove(orgUuid, uuid)) return;
  for (const kind of SHARED_FILE_KINDS) {
    if (await store.resources.of(SHARED_GROUPS[kind]).remove(orgUuid, uuid)) return;
  }
  await endEmergency(store, { orgUuid, uuid }, { atMs, by: principal.name });
}

async function storeRules(store: EndStore, end: RulesEnd, { rules }: StoredRows): Promise<void> {
  const { orgUuid, uuid, of } = end;
  if (of === 'share') {
    const { after } = await store.shares.change(
      orgUuid,
      uuid,
      changedBy((share) => withRules(share, end)),
      'vital',
    );
    await rules.applied({ kind: 'share', uuid, record: after });
  } else if (of === 'wallShare') {
    const { after } = await store.wallShares.change(
      orgUuid,
      uuid,
      changedBy((share) => withRules(share, end)),
      'vital',
    );
    await rules.applied({ kind: 'wallShare', uuid, record: after });
  } else {
    for (const kind of SHARED_FILE_KINDS) {
      const groups = store.resources.of(SHARED_GROUPS[kind]);
      const decide = changedBy<Parameters<typeof groupWithRules>[0]>((group) => groupWithRules(group, end));
      const { after } = await groups.change(orgUuid, uuid, decide, undefined, 'vital');
      if (after !== null) return void (await rules.applied({ kind: 'group', uuid, record: after }));
    }
    await rules.applied({ kind: 'group', uuid, record: null });
  }
}

/** A removed record is not restored. */
function changedBy<Row>(merge: (row: Row) => Row): (row: Row | null) => NextRecord<Row> {
  return (row) => {
    const merged = row === null ? null : merge(row);
    return merged === null || merged === row ? 'unchanged' : merged;
  };
}
