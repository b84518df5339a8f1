/** Organizations. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Organization } from '../entities.ts';
import { ORGANIZATIONS } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { OrganizationRepository } from '../store.ts';

export class OrganizationTable implements OrganizationRepository {
  readonly #database: SqlDatabase;
  readonly #changes: ChangeFeed;

  constructor(database: SqlDatabase, changes: ChangeFeed) {
    this.#database = database;
    this.#changes = changes;
  }

  async find(uuid: Ruuid): Promise<Organization | null> {
    const query = this.#database.build.selectFrom('organisations').selectAll().where('uuid', '=', uuid);
    const [result] = await this.#database.executor.run(query.compile());
    const [row] = result.rows;
    return row === undefined ? null : ORGANIZATIONS.fromRow(row);
  }

  async list(): Promise<Organization[]> {
    const query = this.#database.build.selectFrom('organisations').selectAll();
    const [result] = await this.#database.executor.run(
      query.orderBy('created_at_ms').orderBy('uuid').compile(),
    );
    return result.rows.map(ORGANIZATIONS.fromRow);
  }

  async save(organization: Organization): Promise<void> {
    const { build, executor } = this.#database;
    const row = ORGANIZATIONS.toRow(organization);
    const { uuid } = organization;
    const [known] = await executor.run(
      build.selectFrom('organisations').select('uuid').where('uuid', '=', uuid).compile(),
      build
        .insertInto('organisations')
        .values(row)
        .onConflict((conflict) => conflict.column('uuid').doUpdateSet(row))
        .compile(),
    );
    const type = known.rows.length === 0 ? 'CREATE' : 'UPDATE';
    this.#changes.publish({ entity: 'organization', type, orgUuid: uuid, uuid });
  }

  async change(uuid: Ruuid, { name, cameraNetworks }: Parameters<OrganizationRepository['change']>[1]) {
    const fields = {
      ...(name === undefined ? {} : { name }),
      ...(cameraNetworks === undefined ? {} : { camera_networks: JSON.stringify(cameraNetworks) }),
    };
    if (Object.keys(fields).length === 0) return (await this.find(uuid)) !== null;
    const { build, executor } = this.#database;
    const query = build.updateTable('organisations').set(fields).where('uuid', '=', uuid);
    const [{ changes }] = await executor.run(query.compile());
    if (changes === 0) return false;
    this.#changes.publish({ entity: 'organization', type: 'UPDATE', orgUuid: uuid, uuid });
    return true;
  }
}
