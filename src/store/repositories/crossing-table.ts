/**
 * Crossings in their table and, added up by quarter hour, in a second one. The transaction that adds to a quarter hour
 * sums it again from its crossings, so the two cannot disagree and a report that is sent again changes nothing. Each
 * crossing knows when its object last crossed in the same direction: the first of a bucket is the one whose predecessor
 * is before the bucket. So counting objects needs neither sorting nor a set.
 */

import { type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import {
  CROSSING_DIRECTIONS,
  CROSSING_OBJECTS,
  type Crossing,
  type CrossingCount,
  type CrossingCountQuery,
  type CrossingQuery,
  type CrossingRepository,
  type ReportingDevice,
  type ReportName,
} from '../crossing.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { UseBound } from '../stored-use.ts';
import type { CrossingRow, Tables } from '../tables.ts';
import { crossingPieces, deviceGroups, objectPieces, type Piece, QUARTER_HOUR_MS } from './bucket-pieces.ts';
import { removeOldRows, removeOldSums } from './crossing-removals.ts';
import { MAX_REPORTED_TOGETHER, type ReportingDevices, rebound } from './reporting-devices.ts';
import type { StoredUseTable } from './stored-use-table.ts';

/** The number of statements of a report in one turn; other requests get a turn in between. */
const STATEMENTS_PER_TURN = 64;

/** `previous_at_ms` of a crossing whose object had not crossed before. */
const NEVER = -1;

type NextCrossings = SelectQueryBuilder<Tables & { self: CrossingRow }, 'self', { event_id: string | null }>;

/** Parameters of an inserted row. */
const COLUMNS = 6;

interface BucketRow {
  readonly bucket: number;
  readonly ingress: number;
  readonly egress: number;
}

export class CrossingTable implements CrossingRepository {
  readonly #database: SqlDatabase;
  readonly #devices: ReportingDevices;
  readonly #use: StoredUseTable;
  /** By name and number of rows, because compiling one costs more than running it. */
  readonly #statements = new Map<string, CompiledQuery<unknown>>();
  #addUpStatement: CompiledQuery<unknown> | null = null;

  constructor(database: SqlDatabase, devices: ReportingDevices, use: StoredUseTable) {
    this.#database = database;
    this.#devices = devices;
    this.#use = use;
  }

  async add(orgUuid: Ruuid, crossings: readonly Crossing[]): Promise<number> {
    if (crossings.length === 0) return 0;
    if (crossings.length > MAX_REPORTED_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: crossings.length });
    }
    const deviceKeys = await this.#devices.numbersFor(orgUuid, crossings);
    const rows: unknown[] = [];
    const byDevice = new Map<number, string[]>();
    const touched = new Map<string, { deviceKey: number; quarterHour: number }>();
    for (const [index, { id, atMs, object, direction, objectId }] of crossings.entries()) {
      const deviceKey = deviceKeys[index]!;
      const objectType = CROSSING_OBJECTS.indexOf(object);
      rows.push(deviceKey, id, atMs, objectType, CROSSING_DIRECTIONS.indexOf(direction), objectId);
      const ids = byDevice.get(deviceKey);
      if (ids === undefined) byDevice.set(deviceKey, [id]);
      else ids.push(id);
      const quarterHour = Math.floor(atMs / QUARTER_HOUR_MS);
      touched.set(`${deviceKey}/${quarterHour}`, { deviceKey, quarterHour });
    }
    const [inserted] = await this.#database.executor.run(
      rebound(this.#statement('insert', crossings.length), padded(rows, COLUMNS)),
      ...[...byDevice].flatMap(([deviceKey, ids]) => this.#linkStatements(deviceKey, ids)),
      ...[...touched.values()].map(({ deviceKey, quarterHour }) => this.#addUp(deviceKey, quarterHour)),
    );
    return inserted.changes;
  }

  async findAll(orgUuid: Ruuid, reports: readonly ReportName[]): Promise<Crossing[]> {
    const byNumber = await this.#devices.idsByNumber(orgUuid, reports);
    const results = await this.#database.executor.run(
      ...[...byNumber].map(([deviceKey, { ids }]) =>
        this.#database.build
          .selectFrom('crossings')
          .selectAll()
          .where('device_key', '=', deviceKey)
          .where('event_id', 'in', ids)
          .compile(),
      ),
    );
    const rows = results.flatMap((result) => result.rows);
    return rows.map((row) => crossingOf(row, byNumber.get(row.device_key)!.device));
  }

  async page(orgUuid: Ruuid, query: CrossingQuery): Promise<Crossing[]> {
    const devices = await this.#devices.find(orgUuid, [query.device]);
    if (devices.size === 0) return [];
    // One statement per facet: each reads its part of the index in order and stops at the limit.
    const statements = [...devices.keys()].map((deviceKey) => this.#pageStatement(deviceKey, devices, query));
    const results = await this.#database.executor.run(...statements);
    const rows = results.flatMap((result) => result.rows).sort(compareRows);
    return rows.slice(0, query.limit).map((row) => crossingOf(row, devices.get(row.device_key)!));
  }

  reporters(orgUuid: Ruuid): Promise<Ruuid[]> {
    return this.#devices.withRowsIn('crossings', orgUuid);
  }

  async counts(orgUuid: Ruuid, query: CrossingCountQuery): Promise<CrossingCount[]> {
    const devices = await this.#devices.find(orgUuid, query.devices);
    if (devices.size === 0) return [];
    const deviceKeys = [...devices.keys()];
    const pieces = query.isDeduplicated ? objectPieces(query, deviceKeys) : crossingPieces(query, deviceKeys);
    const objectType = query.object === undefined ? null : CROSSING_OBJECTS.indexOf(query.object);
    const perBucket = new Map<number, CompiledQuery<BucketRow>>();
    const statementOf = (piece: Piece) => {
      if (piece.source !== 'objects' || !isWithinBucket(piece))
        return this.#countStatement(piece, objectType);
      const deviceCount = piece.deviceKeys.length;
      const known = perBucket.get(deviceCount) ?? this.#objectsInBucketStatement(deviceCount, objectType);
      perBucket.set(deviceCount, known);
      return rebound(known, bucketParameters(piece, objectType));
    };
    const counts = new Map<number, CrossingCount>();
    for (let at = 0; at < pieces.length; at += STATEMENTS_PER_TURN) {
      const turn = pieces.slice(at, at + STATEMENTS_PER_TURN);
      const results = await this.#database.executor.run(...turn.map(statementOf));
      for (const [index, { rows }] of results.entries()) collect(counts, turn[index]!, rows);
    }
    return [...counts.values()].sort((a, b) => a.bucketStartMs - b.bucketStartMs);
  }

  async removeExcess(orgUuid: Ruuid, bound: UseBound, limit: number): Promise<number> {
    const excess = await this.#use.excess(orgUuid, 'crossing', bound);
    if (excess === null) return 0;
    const { build, executor } = this.#database;
    const deviceKey = Number(excess.holder);
    const oldest = build
      .selectFrom('crossings')
      .where('device_key', '=', deviceKey)
      .orderBy('at_ms')
      .orderBy('event_id');
    const count = Math.min(excess.rows, limit);
    const last = oldest
      .select('at_ms')
      .offset(count - 1)
      .limit(1);
    const [{ rows }] = await executor.run(last.compile());
    if (rows[0] === undefined) return 0;
    const quarterHour = Math.floor(rows[0].at_ms / QUARTER_HOUR_MS);
    const gone = oldest.select(['device_key', 'event_id']).limit(count);
    const [removed] = await executor.run(
      build
        .deleteFrom('crossings')
        .where(({ eb, refTuple }) =>
          eb(refTuple('device_key', 'event_id'), 'in', gone.$asTuple('device_key', 'event_id')),
        )
        .compile(),
      build
        .deleteFrom('crossing_quarter_hours')
        .where('device_key', '=', deviceKey)
        .where('quarter_hour', '<=', quarterHour)
        .compile(),
      this.#addUp(deviceKey, quarterHour),
    );
    return removed.changes;
  }

  async removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number> {
    const devices = await this.#devices.find(orgUuid, null);
    const quarterHour = Math.floor(beforeMs / QUARTER_HOUR_MS);
    let removed = 0;
    for (const deviceKeys of deviceGroups([...devices.keys()])) {
      if (removed >= limit) break;
      const [sums, rows] = await this.#database.executor.run(
        removeOldSums(this.#database.build, deviceKeys, quarterHour, limit - removed),
        removeOldRows(this.#database.build, deviceKeys, quarterHour * QUARTER_HOUR_MS, limit - removed),
      );
      removed += sums.changes + rows.changes;
    }
    return removed;
  }

  #countStatement(piece: Piece, objectType: number | null): CompiledQuery<BucketRow> {
    switch (piece.source) {
      case 'quarter-hours':
        return this.#sumOfQuarterHours(piece, objectType);
      case 'crossings':
        return this.#countOfCrossings(piece, objectType);
      case 'objects':
        return this.#countOfObjects(piece, objectType);
    }
  }

  #sumOfQuarterHours(piece: Piece, objectType: number | null): CompiledQuery<BucketRow> {
    const { run, fromMs, toMs, deviceKeys } = piece;
    const start = integer(run.startMs / QUARTER_HOUR_MS);
    const length = integer(run.lengthMs / QUARTER_HOUR_MS);
    let rows = this.#database.build
      .selectFrom('crossing_quarter_hours')
      .where('device_key', 'in', deviceKeys)
      .where('quarter_hour', '>=', fromMs / QUARTER_HOUR_MS)
      .where('quarter_hour', '<', toMs / QUARTER_HOUR_MS);
    if (objectType !== null) rows = rows.where('object_type', '=', objectType);
    return rows
      .select(({ fn }) => [
        sql<number>`(quarter_hour - ${start}) / ${length}`.as('bucket'),
        fn.sum<number>('ingress_count').as('ingress'),
        fn.sum<number>('egress_count').as('egress'),
      ])
      .groupBy('bucket')
      .compile();
  }

  #countOfCrossings(piece: Piece, objectType: number | null): CompiledQuery<BucketRow> {
    return this.#crossingsOf(piece, objectType)
      .select([
        bucketOf(piece).as('bucket'),
        sql<number>`sum(1 - direction)`.as('ingress'),
        sql<number>`sum(direction)`.as('egress'),
      ])
      .groupBy('bucket')
      .compile();
  }

  /**
   * Counts objects in a piece within one bucket: without grouping, so nothing is sorted. Parameters: the bucket, the devices, the
   * first and last instant, the kind of object if any, the first instant again.
   */
  #objectsInBucketStatement(deviceCount: number, objectType: number | null): CompiledQuery<BucketRow> {
    const piece = { fromMs: 0, toMs: 0, deviceKeys: new Array<number>(deviceCount).fill(0) };
    return this.#crossingsOf(piece, objectType)
      .where('previous_at_ms', '<', 0)
      .select([
        integer(0).as('bucket'),
        sql<number>`coalesce(sum(1 - direction), 0)`.as('ingress'),
        sql<number>`coalesce(sum(direction), 0)`.as('egress'),
      ])
      .compile();
  }

  /** Counts objects in a piece of several buckets, from the start of the first. */
  #countOfObjects(piece: Piece, objectType: number | null): CompiledQuery<BucketRow> {
    const { startMs, lengthMs } = piece.run;
    const bucketStart = sql<number>`${integer(startMs)} + (${bucketOf(piece)}) * ${integer(lengthMs)}`;
    return this.#crossingsOf(piece, objectType)
      .where('previous_at_ms', '<', bucketStart)
      .select([
        bucketOf(piece).as('bucket'),
        sql<number>`sum(1 - direction)`.as('ingress'),
        sql<number>`sum(direction)`.as('egress'),
      ])
      .groupBy('bucket')
      .compile();
  }

  #pageStatement(
    deviceKey: number,
    devices: ReadonlyMap<number, ReportingDevice>,
    { object, fromMs, toMs, after, limit }: CrossingQuery,
  ) {
    let rows = this.#database.build
      .selectFrom('crossings')
      .selectAll()
      .where('device_key', '=', deviceKey)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs);
    if (object !== undefined) rows = rows.where('object_type', '=', CROSSING_OBJECTS.indexOf(object));
    if (after !== null) {
      const lastKey = [...devices].find(([, { facet }]) => facet === after.facet)?.[0] ?? 0;
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('at_ms', 'event_id'), deviceKey > lastKey ? '>=' : '>', tuple(after.atMs, after.id)),
      );
    }
    return rows.orderBy('at_ms').orderBy('event_id').limit(limit).compile();
  }

  #crossingsOf(
    { fromMs, toMs, deviceKeys }: Pick<Piece, 'fromMs' | 'toMs' | 'deviceKeys'>,
    objectType: number | null,
  ) {
    const rows = this.#database.build
      .selectFrom('crossings')
      .where('device_key', 'in', deviceKeys)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs);
    return objectType === null ? rows : rows.where('object_type', '=', objectType);
  }

  /**
   * Links crossings of a device with those of the same object before and after them. Uses the values in the table,
   * because a report that is sent again may differ from it.
   */
  #linkStatements(deviceKey: number, ids: readonly string[]): CompiledQuery<unknown>[] {
    const paddedIds = padded(ids, 1);
    return [
      rebound(this.#statement('link', ids.length), [deviceKey, ...paddedIds]),
      rebound(this.#statement('linkNext', ids.length), [deviceKey, deviceKey, ...paddedIds]),
    ];
  }

  /** The statement for at least `count` rows or ids; the last one is repeated up to a power of two, which has no effect. */
  #statement(name: 'insert' | 'link' | 'linkNext', count: number): CompiledQuery<unknown> {
    const size = paddedLength(count);
    const key = `${name} ${size}`;
    const statement = this.#statements.get(key) ?? this.#compile(name, size);
    this.#statements.set(key, statement);
    return statement;
  }

  #compile(name: 'insert' | 'link' | 'linkNext', size: number): CompiledQuery<unknown> {
    switch (name) {
      case 'insert':
        return this.#insertStatement(size);
      case 'link':
        return this.#linkStatement(new Array<string>(size).fill(''));
      case 'linkNext':
        return this.#linkStatement(this.#nextOf(size));
    }
  }

  /** Parameters: the columns of each row, in this order. */
  #insertStatement(size: number): CompiledQuery<unknown> {
    const row = { device_key: 0, event_id: '', at_ms: 0, object_type: 0, direction: 0, object_id: 0 };
    return this.#database.build
      .insertInto('crossings')
      .values(Array.from({ length: size }, () => ({ ...row, previous_at_ms: sql.lit(NEVER) })))
      .onConflict((conflict) => conflict.columns(['device_key', 'event_id']).doNothing())
      .compile();
  }

  /** Parameters: the device, and those of `ids`. */
  #linkStatement(ids: readonly string[] | NextCrossings): CompiledQuery<unknown> {
    return this.#database.build
      .updateTable('crossings')
      .set(({ selectFrom }) => ({
        previous_at_ms: selectFrom('crossings as earlier')
          .select(sql<number>`coalesce(max(earlier.at_ms), ${sql.lit(NEVER)})`.as('at_ms'))
          .whereRef('earlier.device_key', '=', 'crossings.device_key')
          .whereRef('earlier.object_type', '=', 'crossings.object_type')
          .whereRef('earlier.object_id', '=', 'crossings.object_id')
          .whereRef('earlier.direction', '=', 'crossings.direction')
          .where(({ eb, refTuple }) =>
            eb(
              refTuple('earlier.at_ms', 'earlier.event_id'),
              '<',
              refTuple('crossings.at_ms', 'crossings.event_id'),
            ),
          ),
      }))
      .where('device_key', '=', 0)
      .where('event_id', 'in', ids)
      .compile();
  }

  /** The crossings after those of the parameters: the device and ids. */
  #nextOf(size: number) {
    return this.#database.build
      .selectFrom('crossings as self')
      .select(({ selectFrom }) =>
        selectFrom('crossings as later')
          .select('later.event_id')
          .whereRef('later.device_key', '=', 'self.device_key')
          .whereRef('later.object_type', '=', 'self.object_type')
          .whereRef('later.object_id', '=', 'self.object_id')
          .whereRef('later.direction', '=', 'self.direction')
          .where(({ eb, refTuple }) =>
            eb(refTuple('later.at_ms', 'later.event_id'), '>', refTuple('self.at_ms', 'self.event_id')),
          )
          .orderBy('later.at_ms')
          .orderBy('later.event_id')
          .limit(sql.lit(1))
          .as('event_id'),
      )
      .where('self.device_key', '=', 0)
      .where('self.event_id', 'in', new Array<string>(size).fill(''))
      .$castTo<{ event_id: string | null }>();
  }

  #addUp(deviceKey: number, quarterHour: number): CompiledQuery<unknown> {
    const startMs = quarterHour * QUARTER_HOUR_MS;
    this.#addUpStatement ??= this.#compileAddUp();
    return rebound(this.#addUpStatement, [quarterHour, deviceKey, startMs, startMs + QUARTER_HOUR_MS]);
  }

  /** Parameters: the quarter hour, the device, and the quarter hour's first and last instant. */
  #compileAddUp(): CompiledQuery<unknown> {
    return this.#database.build
      .insertInto('crossing_quarter_hours')
      .columns(['device_key', 'quarter_hour', 'object_type', 'ingress_count', 'egress_count'])
      .expression(({ selectFrom }) =>
        selectFrom('crossings')
          .select(({ ref }) => [
            'device_key',
            integer(0).as('quarter_hour'),
            'object_type',
            sql<number>`sum(1 - ${ref('direction')})`.as('ingress_count'),
            sql<number>`sum(${ref('direction')})`.as('egress_count'),
          ])
          .where('device_key', '=', 0)
          .where('at_ms', '>=', 0)
          .where('at_ms', '<', 0)
          .groupBy(['device_key', 'object_type']),
      )
      .onConflict((conflict) =>
        conflict.columns(['device_key', 'quarter_hour', 'object_type']).doUpdateSet(({ ref }) => ({
          ingress_count: ref('excluded.ingress_count'),
          egress_count: ref('excluded.egress_count'),
        })),
      )
      .compile();
  }
}

function paddedLength(count: number): number {
  return 2 ** Math.ceil(Math.log2(count));
}

/** Repeats the last `width` values until there are as many groups as `#statement` takes. */
function padded(values: readonly unknown[], width: number): unknown[] {
  const all = [...values];
  const last = values.slice(-width);
  for (let left = paddedLength(values.length / width) - values.length / width; left > 0; left--)
    all.push(...last);
  return all;
}

/** SQLite's driver binds numbers as floating point, and only division of integers gives an integer. */
function integer(value: number) {
  return sql<number>`cast(${value} as bigint)`;
}

function isWithinBucket({ run, fromMs, toMs }: Piece): boolean {
  const bucketAt = (atMs: number) => Math.floor((atMs - run.startMs) / run.lengthMs);
  return bucketAt(fromMs) === bucketAt(toMs - 1);
}

/** The parameters of #objectsInBucketStatement. A piece that begins within a bucket counts objects again that crossed earlier in it. */
function bucketParameters({ run, fromMs, toMs, deviceKeys }: Piece, objectType: number | null): number[] {
  const bucket = Math.floor((fromMs - run.startMs) / run.lengthMs);
  return [bucket, ...deviceKeys, fromMs, toMs, ...(objectType === null ? [] : [objectType]), fromMs];
}

/** The order of pages. */
function compareRows(a: CrossingRow, b: CrossingRow): number {
  if (a.at_ms !== b.at_ms) return a.at_ms - b.at_ms;
  // By bytes, as the database does.
  if (a.event_id !== b.event_id) return Buffer.compare(Buffer.from(a.event_id), Buffer.from(b.event_id));
  return a.device_key - b.device_key;
}

function bucketOf({ run }: Piece) {
  return sql<number>`(at_ms - ${integer(run.startMs)}) / ${integer(run.lengthMs)}`;
}

function collect(counts: Map<number, CrossingCount>, { run }: Piece, rows: readonly BucketRow[]): void {
  for (const { bucket, ingress, egress } of rows) {
    // Without grouping, a bucket without crossings has a row too.
    if (Number(ingress) + Number(egress) === 0) continue;
    const bucketStartMs = run.startMs + Number(bucket) * run.lengthMs;
    const known = counts.get(bucketStartMs);
    counts.set(bucketStartMs, {
      bucketStartMs,
      ingressCount: (known?.ingressCount ?? 0) + Number(ingress),
      egressCount: (known?.egressCount ?? 0) + Number(egress),
    });
  }
}

function crossingOf(row: CrossingRow, device: ReportingDevice): Crossing {
  return {
    ...device,
    id: row.event_id,
    atMs: row.at_ms,
    object: CROSSING_OBJECTS[row.object_type] ?? 'UNKNOWN',
    objectId: row.object_id,
    direction: CROSSING_DIRECTIONS[row.direction] ?? 'INGRESS',
  };
}
