/**
 * The common part of all repositories of an organization's entities. Every statement names the organization, so that another
 * organization's row is never read, replaced or removed.
 */

import type { CompiledQuery, Kysely } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import type { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { DecideRecord, RecordChange, Room } from '../record-change.ts';
import type { ResourceKindName } from '../resource.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ChangeDetails, EntityKind, OrgRepository } from '../store.ts';
import type { StoredImportance } from '../stored-importance.ts';
import type { OrgRow, OrgTables } from '../tables.ts';
import { type ChangedTable, RecordChanges } from './record-changes.ts';
import { type RowGuard, type RowLimit, RowStatements } from './row-statements.ts';

interface OrgEntity {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
}

/** How one entity is stored in its table. */
export interface OrgMapping<Entity extends OrgEntity, Row extends OrgRow> {
  readonly table: keyof OrgTables;
  readonly entity: EntityKind;
  toRow(entity: Entity): Row;
  fromRow(row: Row): Entity;
  /** Entities with a value in this column do not count toward a room; default: all count. */
  readonly endedBy?: string;
  /** Kinds of resources that belong to an entity, their parent, and are removed with it, without an event; default: none. */
  readonly belongings?: readonly ResourceKindName[];
  /** Details of its change events; absent: none. `before`: the replaced entity, if a decided change replaced one. */
  detailsOf?(entity: Entity, before: Entity | null): ChangeDetails;
}

export class OrgTable<Entity extends OrgEntity, Row extends OrgRow> implements OrgRepository<Entity> {
  protected readonly database: SqlDatabase;
  readonly #mapping: OrgMapping<Entity, Row>;
  readonly #changes: ChangeFeed;
  /** The tables reduced to the columns that all of them have. */
  readonly #build: Kysely<Record<keyof OrgTables, OrgRow>>;
  readonly #recordChanges: RecordChanges;
  readonly #statements: RowStatements<Row>;
  readonly #changed: ChangedTable<Entity, Row>;

  constructor(database: SqlDatabase, changes: ChangeFeed, mapping: OrgMapping<Entity, Row>) {
    this.database = database;
    this.#mapping = mapping;
    this.#changes = changes;
    this.#build = database.build as unknown as Kysely<Record<keyof OrgTables, OrgRow>>;
    this.#recordChanges = new RecordChanges(database.executor);
    this.#statements = new RowStatements<Row>(database, mapping.table, ['org_uuid', 'uuid']);
    this.#changed = this.#changedTable();
  }

  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<Entity | null> {
    const query = this.#build.selectFrom(this.#mapping.table).selectAll();
    const rows = await this.select(query.where('org_uuid', '=', orgUuid).where('uuid', '=', uuid).compile());
    return rows[0] ?? null;
  }

  /** In creation order. */
  async list(orgUuid: Ruuid): Promise<Entity[]> {
    const query = this.#build.selectFrom(this.#mapping.table).selectAll().where('org_uuid', '=', orgUuid);
    return this.select(query.orderBy('created_at_ms').orderBy('uuid').compile());
  }

  async listEverywhere(): Promise<Entity[]> {
    const query = this.#build.selectFrom(this.#mapping.table).selectAll();
    return this.select(query.orderBy('org_uuid').orderBy('created_at_ms').orderBy('uuid').compile());
  }

  /** Fails STORE_OTHER_ORG, STORE_REFERENCE, STORE_DUPLICATE. */
  async save(entity: Entity, importance: StoredImportance = 'ordinary'): Promise<void> {
    const { table } = this.#mapping;
    const row = this.#mapping.toRow(entity);
    const statements = [
      this.#build.selectFrom(table).select('uuid').where('uuid', '=', row.uuid).compile(),
      this.#build
        .insertInto(table)
        .values(row)
        .onConflict((conflict) =>
          conflict.column('uuid').doUpdateSet(row).where(`${table}.org_uuid`, '=', row.org_uuid),
        )
        .returning('uuid')
        .compile(),
    ] as const;
    const { executor } = this.database;
    const [known, written] = await (importance === 'vital'
      ? executor.runVital(...statements)
      : executor.run(...statements));
    if (written.rows.length === 0) throw this.#otherOrg(entity);
    this.published(known.rows.length === 0 ? 'CREATE' : 'UPDATE', entity.orgUuid, entity.uuid, entity);
  }

  /** Fails STORE_CONTENDED, or like `decide`, `save` and `remove`. */
  change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Entity>,
    importance: StoredImportance = 'ordinary',
  ): Promise<RecordChange<Entity>> {
    return this.#recordChanges.change(this.#changed, { orgUuid, uuid }, decide, importance);
  }

  /** The same. Adding a record beyond `room` fails with the error of `room`, and nothing is added. */
  changeWithRoom(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Entity>,
    room: Room,
  ): Promise<RecordChange<Entity>> {
    const { endedBy } = this.#mapping;
    const limit = {
      columns: ['org_uuid'],
      atMost: room.atMost,
      ...(endedBy === undefined ? {} : { endedBy }),
    };
    const table: ChangedTable<Entity, Row> = {
      ...this.#changed,
      insert: (row) => this.#statements.insert(row, ['uuid'], [limit]),
      checkAddable: async (record) => {
        await this.#changed.checkAddable(record);
        if (await this.#isFull(record, limit)) throw room.full();
      },
    };
    return this.#recordChanges.change(table, { orgUuid, uuid }, decide, 'ordinary');
  }

  /** Adds a record, unless its organization has no room for one more. */
  add(entity: Entity, room: Room): Promise<RecordChange<Entity>> {
    return this.changeWithRoom(entity.orgUuid, entity.uuid, () => entity, room);
  }

  /**
   * The same as `change`; a change or removal for which `guardOf` has a condition is stored only if that holds, otherwise
   * it is decided again. `after`: null if the record is removed.
   */
  protected changeGuarded(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Entity>,
    guardOf: (before: Entity, after: Entity | null) => RowGuard | null,
  ): Promise<RecordChange<Entity>> {
    const { fromRow } = this.#mapping;
    const table: ChangedTable<Entity, Row> = {
      ...this.#changed,
      replace: (before, after) =>
        this.#statements.replace(before, after, guardOf(fromRow(before), fromRow(after))),
      remove: (before) => this.#statements.remove(before, guardOf(fromRow(before), null)),
    };
    return this.#recordChanges.change(table, { orgUuid, uuid }, decide, 'vital');
  }

  /** Fails STORE_REFERENCE while other rows refer to it. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    const query = this.#build.deleteFrom(this.#mapping.table).where('org_uuid', '=', orgUuid);
    const [deleted] = await this.database.executor.runVital(
      query.where('uuid', '=', uuid).returningAll().compile(),
      ...this.#removedWith(orgUuid, uuid),
    );
    const [removed] = this.entities(deleted.rows);
    if (removed !== undefined) this.published('DELETE', orgUuid, uuid, removed);
    return removed !== undefined;
  }

  /** Statements for the transaction that removes an entity. They do nothing if it was not removed. */
  #removedWith(orgUuid: Ruuid, uuid: Ruuid): CompiledQuery[] {
    const { table, belongings = [] } = this.#mapping;
    if (belongings.length === 0) return [];
    const owner = this.#build
      .selectFrom(table)
      .select('uuid')
      .where('org_uuid', '=', orgUuid)
      .where('uuid', '=', uuid);
    const query = this.database.build
      .deleteFrom('resources')
      .where('org_uuid', '=', orgUuid)
      .where('kind', 'in', belongings)
      .where('parent_uuid', '=', uuid)
      .where(({ not, exists }) => not(exists(owner)));
    return [query.compile()];
  }

  /** The entities of a query that selects all columns of this table. */
  protected async select(query: CompiledQuery<OrgRow>): Promise<Entity[]> {
    return (await this.selectLong(query)).toArray();
  }

  /** The same, each created when the list reaches it: only for entities whose mapping does not fail. */
  protected async selectLong(query: CompiledQuery<OrgRow>): Promise<LongList<Entity>> {
    const rows = await this.database.executor.readLong(query);
    return rows.map((row) => this.#mapping.fromRow(row as Row));
  }

  /** Rows with all columns of this table as entities. */
  protected entities(rows: readonly OrgRow[]): Entity[] {
    return rows.map((row) => this.#mapping.fromRow(row as Row));
  }

  /** Notifies the subscribers of a committed change. */
  protected published(
    type: 'CREATE' | 'UPDATE' | 'DELETE',
    orgUuid: Ruuid,
    uuid: Ruuid,
    entity?: Entity,
    before: Entity | null = null,
  ): void {
    const event = { entity: this.#mapping.entity, type, orgUuid, uuid };
    const details = entity === undefined ? undefined : this.#mapping.detailsOf?.(entity, before);
    this.#changes.publish(details === undefined ? event : { ...event, details });
  }

  /** If a record does not exist, only a full limit can keep it out. */
  async #isFull(record: Entity, limit: RowLimit): Promise<boolean> {
    const [counted, known] = await this.database.executor.run(
      this.#statements.countAmong(this.#mapping.toRow(record), limit),
      this.#statements.select([record.orgUuid, record.uuid]),
    );
    return known.rows.length === 0 && Number(counted.rows[0]?.count ?? 0) >= limit.atMost;
  }

  #changedTable(): ChangedTable<Entity, Row> {
    const { entity, table, toRow, fromRow } = this.#mapping;
    const statements = this.#statements;
    return {
      entity,
      toRow,
      fromRow,
      removal: 'vital',
      removedWith: (orgUuid, uuid) => this.#removedWith(orgUuid, uuid),
      select: (orgUuid, [uuid]) => statements.select([orgUuid, uuid]),
      insert: (row) => statements.insert(row, ['uuid']),
      replace: (before, after) => statements.replace(before, after),
      remove: (before) => statements.remove(before),
      checkAddable: async (record) => {
        const query = this.#build.selectFrom(table).select('org_uuid').where('uuid', '=', record.uuid);
        const [{ rows }] = await this.database.executor.run(query.compile());
        if (rows.some(({ org_uuid }) => org_uuid !== record.orgUuid)) throw this.#otherOrg(record);
      },
      publish: (type, record, before) => this.published(type, record.orgUuid, record.uuid, record, before),
    };
  }

  #otherOrg({ uuid }: Entity): GatewayError {
    return new GatewayError(STORE_ERRORS.STORE_OTHER_ORG, { entity: this.#mapping.entity, uuid });
  }
}
