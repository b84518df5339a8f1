/** Console sessions, by the hash of their token. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { CONSOLE_SESSIONS, type ConsoleSessionRow } from '../entity-tables.ts';
import type { ConsoleSession } from '../person.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ConsoleSessionRepository } from '../store.ts';
import { ruuidOf } from './columns.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const NO_PROVIDER = { subject: null, session: null, issuedAtSec: null };

const MAPPING: OrgMapping<ConsoleSession, ConsoleSessionRow> = {
  ...CONSOLE_SESSIONS,
  entity: 'consoleSession',
  toRow: ({ provider, ...session }) => CONSOLE_SESSIONS.toRow({ ...session, ...(provider ?? NO_PROVIDER) }),
  fromRow: (row) => {
    const { subject, session, issuedAtSec, ...stored } = CONSOLE_SESSIONS.fromRow(row);
    const isOwn = subject === null || session === null || issuedAtSec === null;
    return { ...stored, provider: isOwn ? null : { subject, session, issuedAtSec } };
  },
};

export class ConsoleSessionTable
  extends OrgTable<ConsoleSession, ConsoleSessionRow>
  implements ConsoleSessionRepository
{
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, MAPPING);
  }

  async findByTokenHash(tokenHash: string): Promise<ConsoleSession | null> {
    const query = this.database.build.selectFrom('console_sessions').selectAll();
    return (await this.select(query.where('token_hash', '=', tokenHash).compile()))[0] ?? null;
  }

  listByPerson(orgUuid: Ruuid, personUuid: Ruuid): Promise<ConsoleSession[]> {
    const query = this.database.build
      .selectFrom('console_sessions')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('person_uuid', '=', personUuid);
    return this.select(query.orderBy('created_at_ms').orderBy('uuid').compile());
  }

  listByProvider(orgUuid: Ruuid, uuids: readonly Ruuid[]): Promise<ConsoleSession[]> {
    const query = this.database.build
      .selectFrom('console_sessions')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where((where) =>
        where.or([
          where('provider_subject_uuid', 'in', [...uuids]),
          where('provider_session_uuid', 'in', [...uuids]),
        ]),
      );
    return this.select(query.orderBy('created_at_ms').orderBy('uuid').compile());
  }

  async noteSeen(orgUuid: Ruuid, uuid: Ruuid, atMs: number): Promise<void> {
    const query = this.database.build.updateTable('console_sessions').set({ last_seen_at_ms: atMs });
    await this.database.executor.run(
      query.where('org_uuid', '=', orgUuid).where('uuid', '=', uuid).compile(),
    );
  }

  async confirm(orgUuid: Ruuid, uuid: Ruuid, atMs: number): Promise<void> {
    const decide = (session: ConsoleSession | null) =>
      session === null ? ('unchanged' as const) : { ...session, confirmedAtMs: atMs };
    await this.change(orgUuid, uuid, decide);
  }

  async removeExpired(createdBeforeMs: number, seenBeforeMs: number): Promise<Ruuid[]> {
    const query = this.database.build
      .deleteFrom('console_sessions')
      .where((where) =>
        where.or([
          where('created_at_ms', '<=', createdBeforeMs),
          where('last_seen_at_ms', '<=', seenBeforeMs),
        ]),
      );
    const [removed] = await this.database.executor.run(query.returning('uuid').compile());
    return removed.rows.map(({ uuid }) => ruuidOf(uuid));
  }
}
