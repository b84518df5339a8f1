/** Organizations. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Organisation } from '../entities.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { OrganisationRepository } from '../store.ts';
import type { OrganisationRow } from '../tables.ts';
import { optionalRuuidOf, ruuidOf } from './columns.ts';

export class OrganisationTable implements OrganisationRepository {
  readonly #database: SqlDatabase;
  readonly #changes: ChangeFeed;

  constructor(database: SqlDatabase, changes: ChangeFeed) {
    this.#database = database;
    this.#changes = changes;
  }

  async find(uuid: Ruuid): Promise<Organisation | null> {
    const query = this.#database.build.selectFrom('organisations').selectAll().where('uuid', '=', uuid);
    const [result] = await this.#database.executor.run(query.compile());
    const [row] = result.rows;
    return row === undefined ? null : fromRow(row);
  }

  async list(): Promise<Organisation[]> {
    const query = this.#database.build.selectFrom('organisations').selectAll();
    const [result] = await this.#database.executor.run(
      query.orderBy('created_at_ms').orderBy('uuid').compile(),
    );
    return result.rows.map(fromRow);
  }

  async save(organisation: Organisation): Promise<void> {
    const { build, executor } = this.#database;
    const row = toRow(organisation);
    const { uuid } = organisation;
    const [known] = await executor.run(
      build.selectFrom('organisations').select('uuid').where('uuid', '=', uuid).compile(),
      build
        .insertInto('organisations')
        .values(row)
        .onConflict((conflict) => conflict.column('uuid').doUpdateSet(row))
        .compile(),
    );
    const type = known.rows.length === 0 ? 'CREATE' : 'UPDATE';
    this.#changes.publish({ entity: 'organisation', type, orgUuid: uuid, uuid });
  }
}

function toRow(organisation: Organisation): OrganisationRow {
  return {
    uuid: organisation.uuid,
    name: organisation.name,
    partner_uuid: organisation.partnerUuid,
    created_at_ms: organisation.createdAtMs,
  };
}

function fromRow(row: OrganisationRow): Organisation {
  return {
    uuid: ruuidOf(row.uuid),
    name: row.name,
    partnerUuid: optionalRuuidOf(row.partner_uuid),
    createdAtMs: row.created_at_ms,
  };
}
