/** Occupancy counts: how many people a device saw at one time. */

import { type CompiledQuery, sql } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type {
  BucketQuery,
  OccupancyCount,
  OccupancyPeak,
  OccupancyRepository,
  ReportingDevice,
  ReportName,
} from '../crossing.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { UseBound } from '../stored-use.ts';
import { clipped, deviceGroups } from './bucket-pieces.ts';
import { MAX_REPORTED_TOGETHER, type ReportingDevices, rebound } from './reporting-devices.ts';
import type { StoredUseTable } from './stored-use-table.ts';

interface PeakRow {
  readonly bucket: number;
  readonly device_key: number;
  readonly occupancy: number;
  readonly at_ms: number;
}

export class OccupancyTable implements OccupancyRepository {
  readonly #database: SqlDatabase;
  readonly #devices: ReportingDevices;
  readonly #use: StoredUseTable;

  constructor(database: SqlDatabase, devices: ReportingDevices, use: StoredUseTable) {
    this.#database = database;
    this.#devices = devices;
    this.#use = use;
  }

  async add(orgUuid: Ruuid, counts: readonly OccupancyCount[]): Promise<number> {
    if (counts.length === 0) return 0;
    if (counts.length > MAX_REPORTED_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: counts.length });
    }
    const deviceKeys = await this.#devices.numbersFor(orgUuid, counts);
    const insert = this.#database.build
      .insertInto('occupancy_counts')
      .values({ device_key: 0, event_id: '', at_ms: 0, occupancy: 0 })
      .onConflict((conflict) => conflict.columns(['device_key', 'event_id']).doNothing())
      .compile();
    const results = await this.#database.executor.run(
      ...counts.map(({ id, atMs, count }, index) => rebound(insert, [deviceKeys[index]!, id, atMs, count])),
    );
    return results.reduce((sum, { changes }) => sum + changes, 0);
  }

  async findAll(orgUuid: Ruuid, reports: readonly ReportName[]): Promise<OccupancyCount[]> {
    const byNumber = await this.#devices.idsByNumber(orgUuid, reports);
    const results = await this.#database.executor.run(
      ...[...byNumber].map(([deviceKey, { ids }]) =>
        this.#database.build
          .selectFrom('occupancy_counts')
          .selectAll()
          .where('device_key', '=', deviceKey)
          .where('event_id', 'in', ids)
          .compile(),
      ),
    );
    return results.flatMap(({ rows }) =>
      rows.map(({ device_key, event_id, at_ms, occupancy }) => ({
        ...byNumber.get(device_key)!.device,
        id: event_id,
        atMs: at_ms,
        count: occupancy,
      })),
    );
  }

  async latest(orgUuid: Ruuid, wanted: readonly ReportingDevice[], limit: number): Promise<OccupancyCount[]> {
    const devices = await this.#devices.find(orgUuid, wanted);
    const statements = [...devices.keys()].map((deviceKey) =>
      this.#database.build
        .selectFrom('occupancy_counts')
        .selectAll()
        .where('device_key', '=', deviceKey)
        .orderBy('at_ms', 'desc')
        .orderBy('event_id')
        .limit(limit)
        .compile(),
    );
    const results = await this.#database.executor.run(...statements);
    const counts = results.flatMap(({ rows }) =>
      rows.map(({ device_key, event_id, at_ms, occupancy }) => ({
        ...devices.get(device_key)!,
        id: event_id,
        atMs: at_ms,
        count: occupancy,
      })),
    );
    return counts.sort((a, b) => b.atMs - a.atMs).slice(0, limit);
  }

  reporters(orgUuid: Ruuid): Promise<Ruuid[]> {
    return this.#devices.withRowsIn('occupancy_counts', orgUuid);
  }

  async peaks(orgUuid: Ruuid, query: BucketQuery): Promise<OccupancyPeak[]> {
    const devices = await this.#devices.find(orgUuid, query.devices);
    if (devices.size === 0) return [];
    const peaks: OccupancyPeak[] = [];
    for (const run of query.runs) {
      const { fromMs, toMs } = clipped(run, query);
      if (fromMs >= toMs) continue;
      const statement = this.#peaksOf([...devices.keys()], run.startMs, run.lengthMs, fromMs, toMs);
      const [{ rows }] = await this.#database.executor.run(statement);
      for (const row of rows) {
        peaks.push({
          bucketStartMs: run.startMs + Number(row.bucket) * run.lengthMs,
          count: row.occupancy,
          atMs: row.at_ms,
          device: devices.get(row.device_key)!,
        });
      }
    }
    return peaks;
  }

  async removeExcess(orgUuid: Ruuid, bound: UseBound, limit: number): Promise<number> {
    const excess = await this.#use.excess(orgUuid, 'occupancyCount', bound);
    if (excess === null) return 0;
    const { build, executor } = this.#database;
    const oldest = build
      .selectFrom('occupancy_counts')
      .select(['device_key', 'event_id'])
      .where('device_key', '=', Number(excess.holder))
      .orderBy('at_ms')
      .limit(Math.min(excess.rows, limit));
    const removal = build
      .deleteFrom('occupancy_counts')
      .where(({ eb, refTuple }) =>
        eb(refTuple('device_key', 'event_id'), 'in', oldest.$asTuple('device_key', 'event_id')),
      );
    const [{ changes }] = await executor.run(removal.compile());
    return changes;
  }

  async removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number> {
    const { build, executor } = this.#database;
    const devices = await this.#devices.find(orgUuid, null);
    let removed = 0;
    for (const deviceKeys of deviceGroups([...devices.keys()])) {
      if (removed >= limit) break;
      const old = build
        .selectFrom('occupancy_counts')
        .select(['device_key', 'event_id'])
        .where('device_key', 'in', deviceKeys)
        .where('at_ms', '<', beforeMs)
        .limit(limit - removed);
      const [{ changes }] = await executor.run(
        build
          .deleteFrom('occupancy_counts')
          .where(({ eb, refTuple }) =>
            eb(refTuple('device_key', 'event_id'), 'in', old.$asTuple('device_key', 'event_id')),
          )
          .compile(),
      );
      removed += changes;
    }
    return removed;
  }

  async hasReported(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<boolean> {
    const devices = await this.#devices.find(orgUuid, [{ deviceUuid, facet: '' }]);
    if (devices.size === 0) return false;
    const query = this.#database.build
      .selectFrom('occupancy_counts')
      .select('at_ms')
      .where('device_key', 'in', [...devices.keys()])
      .limit(1);
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.length > 0;
  }

  #peaksOf(
    deviceKeys: readonly number[],
    startMs: number,
    lengthMs: number,
    fromMs: number,
    toMs: number,
  ): CompiledQuery<PeakRow> {
    const bucket = sql<number>`(at_ms - cast(${startMs} as bigint)) / cast(${lengthMs} as bigint)`;
    return this.#database.build
      .selectFrom(({ selectFrom }) =>
        selectFrom('occupancy_counts')
          .select(['device_key', 'occupancy', 'at_ms', bucket.as('bucket')])
          .select(
            sql<number>`row_number() over (partition by device_key, ${bucket} order by occupancy desc, at_ms)`.as(
              'place',
            ),
          )
          .where('device_key', 'in', deviceKeys)
          .where('at_ms', '>=', fromMs)
          .where('at_ms', '<', toMs)
          .as('ranked'),
      )
      .select(['bucket', 'device_key', 'occupancy', 'at_ms'])
      .where('place', '=', 1)
      .orderBy('bucket')
      .orderBy('device_key')
      .compile();
  }
}
