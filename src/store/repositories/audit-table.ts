/** The audit trail's rows. */

import { type CompiledQuery, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import {
  type AuditEvent,
  type AuditFootage,
  type AuditQuery,
  type AuditRepetition,
  type AuditRepository,
  type AuditTargets,
  type LinkCreator,
  MAX_CREATED_SHARES,
  MAX_LAST_VIEWED,
  MAX_SHARE_CREATORS,
  SHARE_CREATING_ACTIONS,
  SHARE_VIEWING_ACTIONS,
  type ShareCreator,
  VIEWING_ACTIONS,
} from '../audit.ts';
import { AUDIT_EVENTS, AUDIT_PRINCIPALS, type AuditEventRow } from '../entity-tables.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { ResourceKindName } from '../resource.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { StoredImportance } from '../stored-importance.ts';
import type { Tables } from '../tables.ts';
import { ruuidOf } from './columns.ts';
import { MAX_REPORTED_TOGETHER } from './reporting-devices.ts';
import { uuidList } from './uuid-list.ts';

/** Rows of a target that are looked at, so that one with very many costs no more than others. */
const ROWS_PER_TARGET = 8;

/** Kinds whose parent is a device. */
const OF_DEVICES = [
  'cameraConfig',
  'deviceDetails',
  'license',
  'planPlace',
  'savedClip',
  'seekPoint',
  'timelapse',
] as const satisfies readonly ResourceKindName[];

export class AuditTable implements AuditRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(events: readonly AuditEvent[], importance: StoredImportance = 'ordinary'): Promise<void> {
    if (events.length === 0) return;
    if (events.length > MAX_REPORTED_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: events.length });
    }
    const { build, executor } = this.#database;
    const inserts = events.map((event) => build.insertInto('audit_events').values(toRow(event)).compile());
    await (importance === 'vital' ? executor.runVital(...inserts) : executor.run(...inserts));
  }

  async repeat(rows: readonly (AuditRepetition & { readonly uuid: Ruuid })[]): Promise<void> {
    if (rows.length === 0) return;
    if (rows.length > MAX_REPORTED_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: rows.length });
    }
    const { build, executor } = this.#database;
    await executor.run(
      ...rows.map(({ uuid, occurrences, lastAtMs }) =>
        build
          .updateTable('audit_events')
          .set({ occurrences, last_at_ms: lastAtMs })
          .where('uuid', '=', uuid)
          .compile(),
      ),
    );
  }

  async list(orgUuid: Ruuid, query: AuditQuery): Promise<AuditEvent[]> {
    const {
      fromMs,
      toMs,
      includeActions,
      excludeActions,
      principalUuid,
      targetUuid,
      sourceIp,
      targets,
      about,
      showing,
      after,
      limit,
    } = query;
    let rows = this.#database.build
      .selectFrom('audit_events')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs);
    if (includeActions !== null) rows = rows.where('action', 'in', includeActions);
    if (excludeActions.length > 0) rows = rows.where('action', 'not in', excludeActions);
    if (principalUuid !== undefined) rows = rows.where('principal_uuid', '=', principalUuid);
    if (targetUuid !== undefined) rows = rows.where('target_uuid', '=', targetUuid);
    if (sourceIp !== undefined) rows = rows.where('source_ip', '=', sourceIp);
    if (targets !== undefined) rows = rows.where(this.#isAmong(orgUuid, targets));
    if (about !== undefined) rows = rows.where(this.#isAmong(orgUuid, about));
    if (showing !== undefined) rows = rows.where(showsAny(showing));
    if (after !== undefined) {
      rows = rows
        .where('at_ms', '<=', after.atMs)
        .where(({ or, eb }) => or([eb('at_ms', '<', after.atMs), eb('uuid', '<', after.uuid)]));
    }
    const sorted = rows.orderBy('at_ms', 'desc').orderBy('uuid', 'desc').limit(limit);
    const found = await this.#database.executor.readLong(sorted.compile());
    return found.map(fromRow).toArray();
  }

  async removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number> {
    const { build } = this.#database;
    const old = build
      .selectFrom('audit_events')
      .select('uuid')
      .where('org_uuid', '=', orgUuid)
      .where('at_ms', '<', beforeMs)
      .orderBy('at_ms')
      .orderBy('uuid')
      .limit(limit);
    return this.#remove(build.deleteFrom('audit_events').where('uuid', 'in', old).compile());
  }

  async removeExcess(orgUuid: Ruuid, maxRows: number, limit: number): Promise<number> {
    const { build, executor } = this.#database;
    const ofOrg = build.selectFrom('audit_events').where('org_uuid', '=', orgUuid);
    const [counted] = await executor.run(
      ofOrg.select(({ fn }) => fn.countAll<number>().as('rows')).compile(),
    );
    const excess = Math.min(limit, Number(counted.rows[0]!.rows) - maxRows);
    if (excess <= 0) return 0;
    const oldestOf = (action: string) =>
      build.selectFrom(
        ofOrg
          .select(['uuid', 'at_ms'])
          .where('action', '=', action)
          .orderBy('at_ms')
          .orderBy('uuid')
          .limit(excess)
          .as(action.toLowerCase()),
      );
    const [first, ...further] = VIEWING_ACTIONS;
    const viewings = build
      .selectFrom(
        further
          .reduce(
            (union, action) => union.unionAll(oldestOf(action).selectAll()),
            oldestOf(first).selectAll(),
          )
          .as('viewings'),
      )
      .select('uuid')
      .orderBy('at_ms')
      .orderBy('uuid')
      .limit(excess);
    const removed = await this.#remove(
      build.deleteFrom('audit_events').where('uuid', 'in', viewings).compile(),
    );
    // Index audit_events_of_devices.
    const ofDevices = ofOrg.where('principal_type', '=', sql.lit('DEVICE'));
    return this.#removeOldest([ofDevices, ofOrg], excess - removed, removed);
  }

  /** Removes the oldest of the first query, and if those do not suffice, of the next. */
  async #removeOldest(
    from: readonly SelectQueryBuilder<Tables, 'audit_events', object>[],
    limit: number,
    alreadyRemoved: number,
  ): Promise<number> {
    let removed = 0;
    for (const rows of from) {
      if (removed >= limit) break;
      const oldest = rows
        .select('uuid')
        .orderBy('at_ms')
        .orderBy('uuid')
        .limit(limit - removed);
      const removal = this.#database.build.deleteFrom('audit_events').where('uuid', 'in', oldest);
      removed += await this.#remove(removal.compile());
    }
    return alreadyRemoved + removed;
  }

  async lastFootageOf(orgUuid: Ruuid, targetUuid: Ruuid): Promise<readonly AuditFootage[] | null> {
    const query = this.#database.build
      .selectFrom('audit_events')
      .select('footage_json')
      .where('org_uuid', '=', orgUuid)
      .where('target_uuid', '=', targetUuid)
      .where('footage_json', 'is not', null)
      .orderBy('at_ms', 'desc')
      .limit(1);
    const [result] = await this.#database.executor.run(query.compile());
    const text = result.rows[0]?.footage_json ?? null;
    return text === null ? null : (JSON.parse(text) as AuditFootage[]);
  }

  async lastNameOf(orgUuid: Ruuid, targetUuid: Ruuid): Promise<string | null> {
    const query = this.#database.build
      .selectFrom('audit_events')
      .select('target_name')
      .where('org_uuid', '=', orgUuid)
      .where('target_uuid', '=', targetUuid)
      .orderBy('at_ms', 'desc')
      .limit(1);
    const [result] = await this.#database.executor.run(query.compile());
    return result.rows[0]?.target_name ?? null;
  }

  async lastViewed(orgUuid: Ruuid, targetUuids: readonly Ruuid[]): Promise<ReadonlyMap<Ruuid, number>> {
    if (targetUuids.length > MAX_LAST_VIEWED) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: targetUuids.length });
    }
    if (targetUuids.length === 0) return new Map();
    const wanted = sql.join(targetUuids.map((uuid) => sql`(cast(${uuid} as text))`));
    // The newest row began last, but an older one may have grown since.
    const newest = sql`select at_ms, last_at_ms from audit_events
      where org_uuid = ${orgUuid} and target_uuid = wanted.column1 and action in (${sql.join(SHARE_VIEWING_ACTIONS)})
      order by at_ms desc limit ${sql.lit(ROWS_PER_TARGET)}`;
    const query = this.#database.build
      .selectFrom(sql<{ column1: string }>`(values ${wanted})`.as('wanted'))
      .select([
        'wanted.column1 as target_uuid',
        sql<number | null>`(select max(coalesce(last_at_ms, at_ms)) from (${newest}) as newest)`.as(
          'viewed_at_ms',
        ),
      ]);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    const viewed = rows.flatMap(({ target_uuid, viewed_at_ms }) =>
      viewed_at_ms === null ? [] : [[ruuidOf(target_uuid), Number(viewed_at_ms)] as const],
    );
    return new Map(viewed);
  }

  async creatorsOf(orgUuid: Ruuid, targetUuids: readonly Ruuid[]): Promise<ReadonlyMap<Ruuid, LinkCreator>> {
    if (targetUuids.length > MAX_LAST_VIEWED) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: targetUuids.length });
    }
    if (targetUuids.length === 0) return new Map();
    const query = this.#creations(orgUuid)
      .select(['target_uuid', 'principal_type', 'principal_uuid', 'principal_name'])
      .where('target_uuid', 'in', targetUuids)
      .where('principal_uuid', 'is not', null)
      .orderBy('at_ms', 'desc');
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return new Map(
      rows.map((row) => [
        ruuidOf(row.target_uuid),
        {
          uuid: ruuidOf(row.principal_uuid!),
          name: row.principal_name,
          isPerson: row.principal_type === 'USER',
        },
      ]),
    );
  }

  async creators(orgUuid: Ruuid, targets?: AuditTargets): Promise<ShareCreator[]> {
    const creations = this.#creations(orgUuid);
    const wanted = targets === undefined ? creations : creations.where(this.#isAmong(orgUuid, targets));
    const query = wanted
      .select(({ fn }) => ['principal_uuid', fn.max('principal_name').as('name')])
      .where('principal_uuid', 'is not', null)
      .groupBy('principal_uuid')
      .orderBy('name')
      .orderBy('principal_uuid')
      .limit(MAX_SHARE_CREATORS);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map(({ principal_uuid, name }) => ({ uuid: ruuidOf(principal_uuid!), name }));
  }

  async createdBy(orgUuid: Ruuid, principalUuid: Ruuid): Promise<ReadonlySet<Ruuid>> {
    const query = this.#creations(orgUuid)
      .select('target_uuid')
      .where('principal_uuid', '=', principalUuid)
      .orderBy('at_ms', 'desc')
      .limit(MAX_CREATED_SHARES);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return new Set(rows.map(({ target_uuid }) => ruuidOf(target_uuid)));
  }

  #creations(orgUuid: Ruuid) {
    return this.#database.build
      .selectFrom('audit_events')
      .where('org_uuid', '=', orgUuid)
      .where('action', 'in', SHARE_CREATING_ACTIONS);
  }

  /** Each row is looked up by its target, so a page costs what it has, and not what the organization has. */
  #isAmong(orgUuid: Ruuid, { deviceUuids, uuids }: AuditTargets): RawBuilder<SqlBool> {
    const devices = uuidList(this.#database, deviceUuids);
    const target = sql.ref('audit_events.target_uuid');
    return sql<SqlBool>`(${target} in ${uuidList(this.#database, [...deviceUuids, ...uuids])}
      or ${sql.ref('audit_events.device_uuid')} in ${devices}
      or exists (select 1 from shares where shares.uuid = ${target} and shares.org_uuid = ${orgUuid}
        and shares.camera_uuid in ${devices})
      or exists (select 1 from resources where resources.kind in (${sql.join(OF_DEVICES)})
        and resources.uuid = ${target} and resources.org_uuid = ${orgUuid} and resources.parent_uuid in ${devices}))`;
  }

  async #remove(query: CompiledQuery<unknown>): Promise<number> {
    const [{ changes }] = await this.#database.executor.run(query);
    return changes;
  }
}

/** UUIDs can have `_`, which stands for any character in a pattern: callers check what they find. */
function showsAny(deviceUuids: readonly Ruuid[]): RawBuilder<SqlBool> {
  if (deviceUuids.length === 0) return sql<SqlBool>`1 = 0`;
  const column = sql.ref('audit_events.footage_json');
  const patterns = deviceUuids.map((uuid) => sql`${column} like ${`%"${uuid}"%`}`);
  return sql<SqlBool>`(${column} is not null and (${sql.join(patterns, sql` or `)}))`;
}

function toRow(event: AuditEvent): AuditEventRow {
  return {
    ...AUDIT_EVENTS.toRow(event),
    ...AUDIT_PRINCIPALS.toRow(event.principal),
    device_uuid: event.deviceUuid ?? null,
    footage_json: event.footage === undefined ? null : JSON.stringify(event.footage),
    occurrences: event.repeated?.occurrences ?? 1,
    last_at_ms: event.repeated?.lastAtMs ?? null,
  };
}

function fromRow(row: AuditEventRow): AuditEvent {
  const { occurrences, last_at_ms: lastAtMs, device_uuid: deviceUuid, footage_json: footage } = row;
  return {
    ...AUDIT_EVENTS.fromRow(row),
    principal: AUDIT_PRINCIPALS.fromRow(row),
    ...(deviceUuid === null ? {} : { deviceUuid: ruuidOf(deviceUuid) }),
    ...(footage === null ? {} : { footage: JSON.parse(footage) as AuditFootage[] }),
    ...(lastAtMs === null ? {} : { repeated: { occurrences, lastAtMs } }),
  };
}
