/** Passkeys, by person and by credential ID. */

import { type RawBuilder, sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { PASSKEYS, type PasskeyRow } from '../entity-tables.ts';
import type { Passkey, PasskeyUse } from '../passkey.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { PasskeyRepository } from '../store.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<Passkey, PasskeyRow> = {
  ...PASSKEYS,
  entity: 'passkey',
};

/** Whether a person has another way to sign in. Its values: organization, person, passkey, RP ID, organization, person. */
const HAS_ANOTHER_WAY: RawBuilder<boolean> = sql<boolean>`(exists (
  select 1 from passkeys as other
  where other.org_uuid = ${''} and other.person_uuid = ${''} and other.uuid <> ${''} and other.rp_id = ${''})
  or exists (
  select 1 from people
  where people.org_uuid = ${''} and people.uuid = ${''} and people.password_hash is not null))`;

export class PasskeyTable extends OrgTable<Passkey, PasskeyRow> implements PasskeyRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, MAPPING);
  }

  async findByCredentialId(credentialId: string): Promise<Passkey | null> {
    const query = this.database.build.selectFrom('passkeys').selectAll();
    return (await this.select(query.where('credential_id', '=', credentialId).compile()))[0] ?? null;
  }

  listByPerson(orgUuid: Ruuid, personUuid: Ruuid): Promise<Passkey[]> {
    const query = this.database.build
      .selectFrom('passkeys')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('person_uuid', '=', personUuid);
    return this.select(query.orderBy('created_at_ms').orderBy('uuid').compile());
  }

  async noteUse(orgUuid: Ruuid, uuid: Ruuid, { counter, isBackedUp, atMs }: PasskeyUse): Promise<boolean> {
    const query = this.database.build
      .updateTable('passkeys')
      .set({ counter, backed_up: isBackedUp ? 1 : 0, last_used_at_ms: atMs })
      .where('org_uuid', '=', orgUuid)
      .where('uuid', '=', uuid)
      // WebAuthn §6.1.1: an authenticator that does not count says 0 each time.
      .where((where) => (counter === 0 ? where('counter', '=', 0) : where('counter', '<', counter)));
    const [{ rows }] = await this.database.executor.runVital(query.returning('uuid').compile());
    return rows.length > 0;
  }

  async removeKeepingWay(
    { orgUuid, personUuid, uuid }: Pick<Passkey, 'orgUuid' | 'personUuid' | 'uuid'>,
    rpId: string | null,
    lastWay: () => Error,
  ): Promise<Passkey | null> {
    const guard = {
      name: 'another way to sign in',
      condition: HAS_ANOTHER_WAY,
      values: [orgUuid, personUuid, uuid, rpId, orgUuid, personUuid],
    };
    const decide = async (known: Passkey | null) => {
      if (known === null || known.personUuid !== personUuid) return 'unchanged';
      if (known.rpId === rpId && !(await this.#hasAnotherWay(known))) throw lastWay();
      return 'removed';
    };
    // The condition is part of the statement too: of the last two, removed at the same time, one stays.
    const { before, after } = await this.changeGuarded(orgUuid, uuid, decide, (known) =>
      known.rpId === rpId ? guard : null,
    );
    return after === null && before?.personUuid === personUuid ? before : null;
  }

  async #hasAnotherWay({ orgUuid, personUuid, uuid, rpId }: Passkey): Promise<boolean> {
    const passkeys = await this.listByPerson(orgUuid, personUuid);
    if (passkeys.some((other) => other.uuid !== uuid && other.rpId === rpId)) return true;
    const person = this.database.build
      .selectFrom('people')
      .select('uuid')
      .where('org_uuid', '=', orgUuid)
      .where('uuid', '=', personUuid)
      .where('password_hash', 'is not', null);
    const [{ rows }] = await this.database.executor.run(person.compile());
    return rows.length > 0;
  }
}
