/** People, by organization and by email address. */

import { type RawBuilder, sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import { isSameScope } from '../access-scope.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { PEOPLE, type PersonRow } from '../entity-tables.ts';
import { emailKey, type Person } from '../person.ts';
import type { DecideRecord, NextRecord, RecordChange } from '../record-change.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { KeptAdmin, PersonRepository } from '../store.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<Person, PersonRow> = {
  ...PEOPLE,
  entity: 'person',
  belongings: [
    'mailDigest',
    'notificationSettings',
    'oidcIdentity',
    'pushSubscription',
    'scimUser',
    'waitingMail',
  ],
  detailsOf: (person, before) => ({
    deviceUuid: null,
    fields: { name: person.name, ...changeOf(person, before) },
  }),
  toRow: (person) =>
    PEOPLE.toRow({ ...person, emailKey: person.email === null ? null : emailKey(person.email) }),
  fromRow: (row) => {
    const { emailKey: _, ...person } = PEOPLE.fromRow(row);
    return person;
  },
};

/** The change that matters most, by its word in the audit trail. */
function changeOf(person: Person, before: Person | null): { readonly change?: string } {
  if (before === null) return {};
  if (before.role !== person.role) return { change: 'ROLE' };
  if (!isSameScope(before.scope, person.scope)) return { change: 'RIGHTS' };
  if (before.passwordHash !== person.passwordHash) return { change: 'PASSWORD' };
  return before.email === person.email ? {} : { change: 'EMAIL' };
}

/** Whether the organization has another admin who can sign in. Its values: organization, person. */
const HAS_ANOTHER_ADMIN: RawBuilder<boolean> = sql<boolean>`exists (
  select 1 from people as other
  where other.org_uuid = ${''} and other.uuid <> ${''} and other.role = 'admin' and other.disabled = 0)`;

/** The same, of those who can do so with a password or a passkey. */
const HAS_ANOTHER_LOCAL_ADMIN: RawBuilder<boolean> = sql<boolean>`exists (
  select 1 from people as other
  where other.org_uuid = ${''} and other.uuid <> ${''} and other.role = 'admin' and other.disabled = 0
    and (other.password_hash is not null or exists (
      select 1 from passkeys
      where passkeys.org_uuid = other.org_uuid and passkeys.person_uuid = other.uuid)))`;

export class PersonTable extends OrgTable<Person, PersonRow> implements PersonRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, MAPPING);
  }

  changeKeepingAdmin(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Person>,
    lastAdmin: () => Error,
    kept: KeptAdmin = 'any',
  ): Promise<RecordChange<Person>> {
    let isLocal = false;
    const decideOrFail = async (known: Person | null) => {
      const next = await decide(known);
      if (!losesAdmin(known, next)) return next;
      const others = await this.#otherAdmins(orgUuid, uuid);
      isLocal = kept === 'local' && (await this.#isLocal(known!));
      const isLast = isLocal
        ? (await Promise.all(others.map((other) => this.#isLocal(other)))).every((is) => !is)
        : others.length === 0;
      if (isLast) throw lastAdmin();
      return next;
    };
    // The condition is part of the statement too: two admins who demote each other at the same time cannot both succeed.
    const guard = () => ({
      name: isLocal ? 'another local admin' : 'another admin',
      condition: isLocal ? HAS_ANOTHER_LOCAL_ADMIN : HAS_ANOTHER_ADMIN,
      values: [orgUuid, uuid],
    });
    return this.changeGuarded(orgUuid, uuid, decideOrFail, (before, after) =>
      losesAdmin(before, after ?? 'removed') ? guard() : null,
    );
  }

  async listByEmail(email: string, limit: number): Promise<Person[]> {
    const query = this.database.build
      .selectFrom('people')
      .selectAll()
      .where('email_key', '=', emailKey(email))
      .orderBy('created_at_ms')
      .orderBy('uuid');
    return this.select(query.limit(limit).compile());
  }

  async noteSignIn(orgUuid: Ruuid, uuid: Ruuid, atMs: number): Promise<void> {
    const query = this.database.build.updateTable('people').set({ last_sign_in_at_ms: atMs });
    await this.database.executor.run(
      query.where('org_uuid', '=', orgUuid).where('uuid', '=', uuid).compile(),
    );
  }

  #otherAdmins(orgUuid: Ruuid, uuid: Ruuid): Promise<Person[]> {
    const query = this.database.build
      .selectFrom('people')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('uuid', '<>', uuid)
      .where('role', '=', 'admin')
      .where('disabled', '=', 0);
    return this.select(query.compile());
  }

  /** Whether the person can sign in without a directory. */
  async #isLocal({ orgUuid, uuid, passwordHash }: Person): Promise<boolean> {
    if (passwordHash !== null) return true;
    const query = this.database.build
      .selectFrom('passkeys')
      .select('uuid')
      .where('org_uuid', '=', orgUuid)
      .where('person_uuid', '=', uuid);
    const [{ rows }] = await this.database.executor.run(query.limit(1).compile());
    return rows.length > 0;
  }
}

function losesAdmin(known: Person | null, next: NextRecord<Person>): boolean {
  if (known === null || !isWorkingAdmin(known) || next === 'unchanged') return false;
  return next === 'removed' || !isWorkingAdmin(next);
}

function isWorkingAdmin({ role, disabled }: Person): boolean {
  return role === 'admin' && !disabled;
}
