/** Resources of all kinds in their one table. A kind never sees or replaces a row of another. */

import type { CompiledQuery } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import { mapInSlices } from '../../core/sliced-work.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { RESOURCES, type ResourceRow } from '../entity-tables.ts';
import type { FieldCipher } from '../field-encryption.ts';
import type { DecideRecord, NextRecord, RecordChange } from '../record-change.ts';
import type {
  Resource,
  ResourceKind,
  ResourceKindName,
  ResourcePageQuery,
  ResourceRepository,
  ResourceStore,
  RoomForMore,
} from '../resource.ts';
import { openedBody, sealedBody } from '../sealed-fields.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ChangeDetails, ChangeEvent } from '../store.ts';
import type { StoredImportance } from '../stored-importance.ts';
import { optionalRuuidOf } from './columns.ts';
import { type ChangedTable, RecordChanges } from './record-changes.ts';
import { type RowLimit, RowStatements } from './row-statements.ts';

/** More in one transaction would delay everyone else's. */
const MAX_SAVED_TOGETHER = 1_000;

const KEY = ['kind', 'uuid', 'org_uuid'] as const;

/** The parts that the repositories of all kinds share. */
interface Shared {
  readonly database: SqlDatabase;
  readonly changes: ChangeFeed;
  readonly cipher: FieldCipher;
  readonly statements: RowStatements<ResourceRow>;
  readonly recordChanges: RecordChanges;
}

export class ResourceTables implements ResourceStore {
  readonly #shared: Shared;

  constructor(database: SqlDatabase, changes: ChangeFeed, cipher: FieldCipher) {
    const statements = new RowStatements<ResourceRow>(database, 'resources', KEY);
    const recordChanges = new RecordChanges(database.executor);
    this.#shared = { database, changes, cipher, statements, recordChanges };
  }

  of<Body extends object>(kind: ResourceKind<Body>): ResourceRepository<Body> {
    return new ResourceTable<Body>(this.#shared, kind.name);
  }
}

class ResourceTable<Body extends object> implements ResourceRepository<Body> {
  readonly #shared: Shared;
  readonly #database: SqlDatabase;
  readonly #cipher: FieldCipher;
  readonly #kind: ResourceKindName;

  constructor(shared: Shared, kind: ResourceKindName) {
    this.#shared = shared;
    this.#database = shared.database;
    this.#cipher = shared.cipher;
    this.#kind = kind;
  }

  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<Resource<Body> | null> {
    const found = await this.#select(this.#all(orgUuid).where('uuid', '=', uuid).compile());
    return found[0] ?? null;
  }

  list(orgUuid: Ruuid): Promise<Resource<Body>[]> {
    return this.#select(this.#all(orgUuid).orderBy('created_at_ms').orderBy('uuid').compile());
  }

  listByParent(orgUuid: Ruuid, parentUuid: Ruuid): Promise<Resource<Body>[]> {
    const ofParent = this.#all(orgUuid).where('parent_uuid', '=', parentUuid);
    return this.#select(ofParent.orderBy('created_at_ms').orderBy('uuid').compile());
  }

  page(orgUuid: Ruuid, { parentUuid, order, after, limit }: ResourcePageQuery): Promise<Resource<Body>[]> {
    const isNewestFirst = order === 'newest-first';
    const direction = isNewestFirst ? 'desc' : 'asc';
    let query = this.#all(orgUuid);
    if (parentUuid !== undefined) query = query.where('parent_uuid', '=', parentUuid);
    if (after !== null) {
      const { createdAtMs, uuid } = after;
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at_ms', 'uuid'), isNewestFirst ? '<' : '>', tuple(createdAtMs, uuid as string)),
      );
    }
    const sorted = query.orderBy('created_at_ms', direction).orderBy('uuid', direction);
    return this.#select(sorted.limit(limit).compile());
  }

  async count(orgUuid: Ruuid): Promise<number> {
    const [result] = await this.#database.executor.run(
      this.#database.build
        .selectFrom('resources')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('org_uuid', '=', orgUuid)
        .where('kind', '=', this.#kind)
        .compile(),
    );
    return Number(result.rows[0]?.count ?? 0);
  }

  save(resource: Resource<Body>): Promise<void> {
    return this.saveAll([resource]);
  }

  async saveAll(resources: readonly Resource<Body>[]): Promise<void> {
    if (resources.length === 0) return;
    if (resources.length > MAX_SAVED_TOGETHER) {
      throw new RangeError(`at most ${MAX_SAVED_TOGETHER} resources are saved together`);
    }
    const uuids = resources.map(({ uuid }) => uuid);
    const { build, executor } = this.#database;
    const [known] = await executor.run(
      build
        .selectFrom('resources')
        .select(['uuid', 'org_uuid'])
        .where('kind', '=', this.#kind)
        .where('uuid', 'in', uuids)
        .compile(),
      ...(await mapInSlices(resources, (resource) => this.#upsert(resource))),
    );
    const before = new Set(known.rows.map((row) => `${row.org_uuid} ${row.uuid}`));
    for (const { uuid, orgUuid, name, parentUuid } of resources) {
      const type = before.has(`${orgUuid} ${uuid}`) ? 'UPDATE' : 'CREATE';
      this.#publish(type, orgUuid, uuid, { deviceUuid: parentUuid, fields: { name } });
    }
  }

  change(
    orgUuid: Ruuid,
    uuid: Ruuid,
    decide: DecideRecord<Resource<Body>>,
    rooms: RoomForMore | readonly RoomForMore[] = [],
    importance: StoredImportance = 'ordinary',
  ): Promise<RecordChange<Resource<Body>>> {
    const table = this.#changedTable([rooms].flat());
    return this.#shared.recordChanges.change(table, { orgUuid, uuid }, decide, importance);
  }

  async changeAll(
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
    decide: (known: Resource<Body> | null, uuid: Ruuid) => NextRecord<Resource<Body>>,
  ): Promise<RecordChange<Resource<Body>>[]> {
    if (uuids.length > MAX_SAVED_TOGETHER) {
      throw new RangeError(`at most ${MAX_SAVED_TOGETHER} resources are changed together`);
    }
    return this.#shared.recordChanges.changeAll(this.#changedTable(), orgUuid, uuids, decide);
  }

  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    const [deleted] = await this.#database.executor.run(
      this.#database.build
        .deleteFrom('resources')
        .where('org_uuid', '=', orgUuid)
        .where('kind', '=', this.#kind)
        .where('uuid', '=', uuid)
        .returning(['parent_uuid', 'name'])
        .compile(),
    );
    const [removed] = deleted.rows;
    if (removed === undefined) return false;
    const deviceUuid = optionalRuuidOf(removed.parent_uuid);
    this.#publish('DELETE', orgUuid, uuid, { deviceUuid, fields: { name: removed.name } });
    return true;
  }

  #publish(type: ChangeEvent['type'], orgUuid: Ruuid, uuid: Ruuid, details: ChangeDetails): void {
    this.#shared.changes.publish({ entity: this.#kind, type, orgUuid, uuid, details });
  }

  async findEverywhere(uuid: Ruuid): Promise<Resource<Body> | null> {
    const query = this.#database.build.selectFrom('resources').selectAll().where('kind', '=', this.#kind);
    return (await this.#select(query.where('uuid', '=', uuid).compile()))[0] ?? null;
  }

  listEverywhere(): Promise<Resource<Body>[]> {
    const query = this.#database.build.selectFrom('resources').selectAll().where('kind', '=', this.#kind);
    return this.#select(query.orderBy('org_uuid').orderBy('created_at_ms').orderBy('uuid').compile());
  }

  #all(orgUuid: Ruuid) {
    return this.#database.build
      .selectFrom('resources')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('kind', '=', this.#kind);
  }

  #changedTable(rooms: readonly RoomForMore[] = []): ChangedTable<Resource<Body>, ResourceRow> {
    const { statements } = this.#shared;
    const limits = rooms.map(limitOf);
    return {
      entity: this.#kind,
      removal: 'ordinary',
      select: (orgUuid, uuids) =>
        uuids.length === 1
          ? statements.select([this.#kind, uuids[0], orgUuid])
          : this.#all(orgUuid).where('uuid', 'in', uuids).compile(),
      toRow: (resource) => this.#toRow(resource),
      fromRow: (row) => this.#fromRow(row),
      insert: (row) => statements.insert(row, KEY, limits),
      replace: (before, after) => statements.replace(before, after),
      remove: (before) => statements.remove(before),
      checkAddable: async (resource) => {
        for (const room of rooms) if (await this.#isFull(room, resource)) throw room.full();
      },
      publish: (type, { orgUuid, uuid, name, parentUuid }) =>
        this.#publish(type, orgUuid, uuid, { deviceUuid: parentUuid, fields: { name } }),
    };
  }

  /** If a resource does not exist, only a full limit can keep it out. */
  async #isFull(room: RoomForMore, resource: Resource<Body>): Promise<boolean> {
    const { statements } = this.#shared;
    const [counted, known] = await this.#database.executor.run(
      statements.countAmong(this.#toRow(resource), limitOf(room)),
      statements.select([this.#kind, resource.uuid, resource.orgUuid]),
    );
    return known.rows.length === 0 && Number(counted.rows[0]?.count ?? 0) >= room.atMost;
  }

  /** Another organization's row with this uuid, and one of another kind, are separate rows. */
  #upsert(resource: Resource<Body>): CompiledQuery {
    const row = this.#toRow(resource);
    return this.#database.build
      .insertInto('resources')
      .values(row)
      .onConflict((conflict) => conflict.columns(['kind', 'uuid', 'org_uuid']).doUpdateSet(row))
      .compile();
  }

  async #select(query: CompiledQuery<ResourceRow>): Promise<Resource<Body>[]> {
    const rows = await this.#database.executor.readLong(query);
    return rows.map((row) => this.#fromRow(row)).toArray();
  }

  #toRow(resource: Resource<Body>): ResourceRow {
    const { uuid, secret } = resource;
    return {
      ...RESOURCES.toRow(resource),
      kind: this.#kind,
      ...sealedBody({ kind: this.#kind, uuid, body: resource.body }, this.#cipher),
      secret_encrypted: secret === null ? null : this.#cipher.encrypt(placeOf(uuid), secret.reveal()),
    };
  }

  #fromRow(row: ResourceRow): Resource<Body> {
    const secret = row.secret_encrypted;
    return {
      ...RESOURCES.fromRow(row),
      body: openedBody(row, this.#cipher) as Body,
      secret: secret === null ? null : new Secret(this.#cipher.decrypt(placeOf(row.uuid), secret)),
    };
  }
}

function limitOf({ atMost, within }: RoomForMore): RowLimit {
  return { columns: ['org_uuid', 'kind', ...(within === 'parent' ? ['parent_uuid'] : [])], atMost };
}

function placeOf(uuid: string) {
  return { table: 'resources', uuid, column: 'secret_encrypted' };
}
