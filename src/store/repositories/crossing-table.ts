/**
 * Crossings in their table and, added up by quarter hour, in a second one. A quarter hour is added up anew from its
 * crossings in the transaction that adds to it, so the two cannot disagree and a report that is sent again changes
 * nothing.
 */

import { type CompiledQuery, sql } from 'kysely';
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
} from '../crossing.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import { crossingPieces, objectPieces, type Piece, QUARTER_HOUR_MS } from './bucket-pieces.ts';
import { MAX_REPORTED_TOGETHER, type ReportingDevices, rebound } from './reporting-devices.ts';

/** Statements of a report that run in one go; between them others get their turn. */
const STATEMENTS_PER_TURN = 64;

/** Which object of which device, as one integer: 31 bits for the object's number, 3 for its kind, then the device. */
const OBJECT = sql`(device_key * 8 + object_type) * 2147483648 + object_id`;

interface BucketRow {
  readonly bucket: number;
  readonly ingress: number;
  readonly egress: number;
}

export class CrossingTable implements CrossingRepository {
  readonly #database: SqlDatabase;
  readonly #devices: ReportingDevices;

  constructor(database: SqlDatabase, devices: ReportingDevices) {
    this.#database = database;
    this.#devices = devices;
  }

  async add(orgUuid: Ruuid, crossings: readonly Crossing[]): Promise<number> {
    if (crossings.length === 0) return 0;
    if (crossings.length > MAX_REPORTED_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: crossings.length });
    }
    const deviceKeys = await this.#devices.numbersFor(orgUuid, crossings);
    const insert = this.#insertStatement();
    const inserts: CompiledQuery<unknown>[] = [];
    const touched = new Map<string, { deviceKey: number; quarterHour: number }>();
    for (const [index, crossing] of crossings.entries()) {
      const deviceKey = deviceKeys[index]!;
      const { id, atMs, object, direction, objectId } = crossing;
      inserts.push(
        rebound(insert, [
          deviceKey,
          id,
          atMs,
          CROSSING_OBJECTS.indexOf(object),
          CROSSING_DIRECTIONS.indexOf(direction),
          objectId,
        ]),
      );
      const quarterHour = Math.floor(atMs / QUARTER_HOUR_MS);
      touched.set(`${deviceKey}/${quarterHour}`, { deviceKey, quarterHour });
    }
    const addUp = this.#addUpStatement();
    const sums = [...touched.values()].map(({ deviceKey, quarterHour }) =>
      rebound(addUp, [
        quarterHour,
        deviceKey,
        quarterHour * QUARTER_HOUR_MS,
        (quarterHour + 1) * QUARTER_HOUR_MS,
      ]),
    );
    const results = await this.#database.executor.run(...inserts, ...sums);
    return results.slice(0, inserts.length).reduce((sum, { changes }) => sum + changes, 0);
  }

  async page(orgUuid: Ruuid, query: CrossingQuery): Promise<Crossing[]> {
    const devices = await this.#devices.find(orgUuid, [query.device]);
    if (devices.size === 0) return [];
    const { object, fromMs, toMs, after, limit } = query;
    let rows = this.#database.build
      .selectFrom('crossings')
      .selectAll()
      .where('device_key', 'in', [...devices.keys()])
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs);
    if (object !== undefined) rows = rows.where('object_type', '=', CROSSING_OBJECTS.indexOf(object));
    if (after !== null) {
      const lastKey = [...devices].find(([, { facet }]) => facet === after.facet)?.[0] ?? 0;
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('at_ms', 'event_id', 'device_key'), '>', tuple(after.atMs, after.id, lastKey)),
      );
    }
    const sorted = rows.orderBy('at_ms').orderBy('event_id').orderBy('device_key').limit(limit);
    const [result] = await this.#database.executor.run(sorted.compile());
    return result.rows.map((row) => ({
      ...devices.get(row.device_key)!,
      id: row.event_id,
      atMs: row.at_ms,
      object: CROSSING_OBJECTS[row.object_type] ?? 'UNKNOWN',
      objectId: row.object_id,
      direction: CROSSING_DIRECTIONS[row.direction] ?? 'INGRESS',
    }));
  }

  async counts(orgUuid: Ruuid, query: CrossingCountQuery): Promise<CrossingCount[]> {
    const devices = await this.#devices.find(orgUuid, query.devices);
    if (devices.size === 0) return [];
    const deviceKeys = [...devices.keys()];
    const pieces = query.isDeduplicated ? objectPieces(query, deviceKeys) : crossingPieces(query, deviceKeys);
    const objectType = query.object === undefined ? null : CROSSING_OBJECTS.indexOf(query.object);
    const perBucket = this.#objectsInBucketStatement(pieces[0]?.deviceKeys.length ?? 0, objectType);
    const statementOf = (piece: Piece) =>
      piece.source === 'objects' && isWithinBucket(piece)
        ? rebound(perBucket, bucketParameters(piece, objectType))
        : this.#countStatement(piece, objectType);
    const counts = new Map<number, CrossingCount>();
    for (let at = 0; at < pieces.length; at += STATEMENTS_PER_TURN) {
      const turn = pieces.slice(at, at + STATEMENTS_PER_TURN);
      const results = await this.#database.executor.run(...turn.map(statementOf));
      for (const [index, { rows }] of results.entries()) collect(counts, turn[index]!, rows);
    }
    return [...counts.values()].sort((a, b) => a.bucketStartMs - b.bucketStartMs);
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
   * The quickest form, for a piece within one bucket: one sort of short integers. Parameters: the bucket, the devices,
   * the first and last instant, the kind of object if any.
   */
  #objectsInBucketStatement(deviceCount: number, objectType: number | null): CompiledQuery<BucketRow> {
    const piece = { fromMs: 0, toMs: 0, deviceKeys: new Array<number>(deviceCount).fill(0) };
    const object = deviceCount === 1 && objectType !== null ? sql`object_id` : OBJECT;
    const objects = this.#crossingsOf(piece, objectType)
      .select(sql<number>`(${object}) * 2 + direction`.as('object'))
      .groupBy('object');
    return this.#database.build
      .selectFrom(objects.as('objects'))
      .select([
        integer(0).as('bucket'),
        sql<number>`coalesce(sum(1 - object % 2), 0)`.as('ingress'),
        sql<number>`coalesce(sum(object % 2), 0)`.as('egress'),
      ])
      .compile();
  }

  #countOfObjects(piece: Piece, objectType: number | null): CompiledQuery<BucketRow> {
    return this.#crossingsOf(piece, objectType)
      .select([
        bucketOf(piece).as('bucket'),
        sql<number>`count(distinct case when direction = 0 then ${OBJECT} end)`.as('ingress'),
        sql<number>`count(distinct case when direction = 1 then ${OBJECT} end)`.as('egress'),
      ])
      .groupBy('bucket')
      .compile();
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

  /** Parameters: the columns, in this order. */
  #insertStatement(): CompiledQuery<unknown> {
    return this.#database.build
      .insertInto('crossings')
      .values({ device_key: 0, event_id: '', at_ms: 0, object_type: 0, direction: 0, object_id: 0 })
      .onConflict((conflict) => conflict.columns(['device_key', 'event_id']).doNothing())
      .compile();
  }

  /** Parameters: the quarter hour, the device, and the quarter hour's first and last instant. */
  #addUpStatement(): CompiledQuery<unknown> {
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

/** SQLite's driver binds numbers as floating point, and only integers divide to integers. */
function integer(value: number) {
  return sql<number>`cast(${value} as bigint)`;
}

function isWithinBucket({ run, fromMs, toMs }: Piece): boolean {
  const bucketAt = (atMs: number) => Math.floor((atMs - run.startMs) / run.lengthMs);
  return bucketAt(fromMs) === bucketAt(toMs - 1);
}

/** For #objectsInBucketStatement. */
function bucketParameters({ run, fromMs, toMs, deviceKeys }: Piece, objectType: number | null): number[] {
  const bucket = Math.floor((fromMs - run.startMs) / run.lengthMs);
  return [bucket, ...deviceKeys, fromMs, toMs, ...(objectType === null ? [] : [objectType])];
}

function bucketOf({ run }: Piece) {
  return sql<number>`(at_ms - ${integer(run.startMs)}) / ${integer(run.lengthMs)}`;
}

function collect(counts: Map<number, CrossingCount>, { run }: Piece, rows: readonly BucketRow[]): void {
  for (const { bucket, ingress, egress } of rows) {
    const bucketStartMs = run.startMs + Number(bucket) * run.lengthMs;
    const known = counts.get(bucketStartMs);
    counts.set(bucketStartMs, {
      bucketStartMs,
      ingressCount: (known?.ingressCount ?? 0) + Number(ingress),
      egressCount: (known?.egressCount ?? 0) + Number(egress),
    });
  }
}
