/** Events of all kinds in their one table. */

import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { EventKind, EventQuery, EventRepository, StoredEvent } from '../event.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { EventRow } from '../tables.ts';
import { ruuidOf } from './columns.ts';

/** More in one transaction would hold up everybody else's. */
export const MAX_EVENTS_TOGETHER = 1_000;

export class EventTable implements EventRepository {
  readonly #database: SqlDatabase;
  readonly #listeners = new Set<(events: readonly StoredEvent[]) => void>();

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(events: readonly StoredEvent[]): Promise<number> {
    return (await this.addNew(events)).length;
  }

  async addNew(events: readonly StoredEvent[]): Promise<StoredEvent[]> {
    if (events.length === 0) return [];
    if (events.length > MAX_EVENTS_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: events.length });
    }
    const { build, executor } = this.#database;
    const results = await executor.run(
      ...events.map((event) =>
        build
          .insertInto('events')
          .values(toRow(event))
          .onConflict((conflict) => conflict.columns(['org_uuid', 'kind', 'event_id']).doNothing())
          .compile(),
      ),
    );
    const added = events.filter((_event, index) => results[index]?.changes === 1);
    if (added.length > 0) for (const listener of this.#listeners) listener(added);
    return added;
  }

  onAdded(listener: (events: readonly StoredEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async find(orgUuid: Ruuid, kind: EventKind, id: string): Promise<StoredEvent | null> {
    const query = this.#database.build
      .selectFrom('events')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('kind', '=', kind)
      .where('event_id', '=', id);
    const [result] = await this.#database.executor.run(query.compile());
    const row = result.rows[0];
    return row === undefined ? null : fromRow(row);
  }

  async page(orgUuid: Ruuid, query: EventQuery): Promise<StoredEvent[]> {
    const { after, order, limit } = query;
    const isNewestFirst = order === 'newest-first';
    let rows = this.#within(orgUuid, query).selectAll();
    if (after !== null) {
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('at_ms', 'event_id'), isNewestFirst ? '<' : '>', tuple(after.atMs, after.id)),
      );
    }
    const direction = isNewestFirst ? 'desc' : 'asc';
    const sorted = rows.orderBy('at_ms', direction).orderBy('event_id', direction).limit(limit);
    const [result] = await this.#database.executor.run(sorted.compile());
    return result.rows.map(fromRow);
  }

  async count(
    orgUuid: Ruuid,
    query: Pick<EventQuery, 'kind' | 'deviceUuid' | 'fromMs' | 'toMs'>,
  ): Promise<number> {
    const counted = this.#within(orgUuid, query).select(({ fn }) => fn.countAll<number>().as('count'));
    const [result] = await this.#database.executor.run(counted.compile());
    return Number(result.rows[0]?.count ?? 0);
  }

  #within(
    orgUuid: Ruuid,
    {
      kind,
      deviceUuid,
      deviceUuids,
      locationUuids,
      fromMs,
      toMs,
    }: Pick<EventQuery, 'kind' | 'deviceUuid' | 'deviceUuids' | 'locationUuids' | 'fromMs' | 'toMs'>,
  ) {
    let rows = this.#database.build
      .selectFrom('events')
      .where('org_uuid', '=', orgUuid)
      .where('kind', '=', kind)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs);
    if (deviceUuid !== undefined) rows = rows.where('device_uuid', '=', deviceUuid);
    if (deviceUuids !== undefined) rows = rows.where('device_uuid', 'in', deviceUuids);
    if (locationUuids !== undefined) rows = rows.where('location_uuid', 'in', locationUuids);
    return rows;
  }
}

function toRow(event: StoredEvent): EventRow {
  return {
    org_uuid: event.orgUuid,
    kind: event.kind,
    event_id: event.id,
    device_uuid: event.deviceUuid,
    at_ms: event.atMs,
    body_json: JSON.stringify(event.body),
    location_uuid: event.locationUuid ?? null,
  };
}

function fromRow(row: EventRow): StoredEvent {
  return {
    orgUuid: ruuidOf(row.org_uuid),
    kind: row.kind as EventKind,
    id: row.event_id,
    deviceUuid: ruuidOf(row.device_uuid),
    ...(row.location_uuid === null ? {} : { locationUuid: ruuidOf(row.location_uuid) }),
    atMs: row.at_ms,
    body: JSON.parse(row.body_json) as object,
  };
}
