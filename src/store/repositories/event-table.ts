/** Events of all kinds in their one table. */

import { type CompiledQuery, type SqlBool, sql } from 'kysely';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { mapInSlices } from '../../core/sliced-work.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { EVENTS, type EventRow } from '../entity-tables.ts';
import { STORE_ERRORS } from '../errors.ts';
import {
  type Acknowledgement,
  type ClaimTime,
  EFFECTIVE_EVENT_KINDS,
  EVENT_KINDS,
  type EventCount,
  type EventKind,
  type EventQuery,
  type EventRepository,
  type StoredEvent,
  type Taking,
} from '../event.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { UseBound } from '../stored-use.ts';
import { ruuidOf } from './columns.ts';
import { announcementOf, hasOtherFootage, isAnnounced } from './event-announcement.ts';
import { rebound } from './reporting-devices.ts';
import type { StoredUseTable } from './stored-use-table.ts';
import { MAX_BOUND_UUIDS, uuidList } from './uuid-list.ts';

/** A new event is unclaimed. */
type NewEventRow = Omit<EventRow, 'claimed_by' | 'claimed_until_ms'>;

/** Other gateways can claim the events that were found free. What they leave is found when the next event is reported, or after a while. */
const CLAIM_TRIES = 4;

/** The next turn: one credential of one organization. */
interface EventTurn {
  readonly orgUuid: Ruuid;
  /** '': not known. */
  readonly reporter: string;
}

/** More in one transaction would delay everyone else's. */
export const MAX_EVENTS_TOGETHER = 1_000;

export class EventTable implements EventRepository {
  readonly #database: SqlDatabase;
  readonly #changes: ChangeFeed;
  readonly #use: StoredUseTable;
  readonly #listeners = new Set<(events: readonly StoredEvent[]) => void>();
  readonly #followers = new Set<() => void>();
  /** The credential that had the last turn of each organization, until all events are finished. */
  readonly #servedReporters = new Map<Ruuid, string>();

  constructor(database: SqlDatabase, changes: ChangeFeed, use: StoredUseTable) {
    this.#use = use;
    this.#database = database;
    this.#changes = changes;
  }

  async add(events: readonly StoredEvent[]): Promise<number> {
    return (await this.addNew(events)).length;
  }

  async addNew(events: readonly StoredEvent[]): Promise<StoredEvent[]> {
    if (events.length === 0) return [];
    if (events.length > MAX_EVENTS_TOGETHER) {
      throw new GatewayError(STORE_ERRORS.STORE_TOO_MANY_EVENTS, { events: events.length });
    }
    const isFollowed = this.#followers.size > 0;
    const rowOf = (event: StoredEvent) => toRow(event, isFollowed && EFFECTIVE_EVENT_KINDS.has(event.kind));
    const insert = this.#insertStatement(rowOf(events[0]!));
    const inserts = await mapInSlices(events, (event) => rebound(insert, Object.values(rowOf(event))));
    const results = await this.#database.executor.run(...inserts);
    const added = events.filter((_event, index) => results[index]?.changes === 1);
    if (added.length === 0) return added;
    for (const listener of this.#listeners) listener(added);
    for (const event of added) {
      if (isAnnounced(event)) this.#changes.publish(announcementOf(event, 'CREATE'));
    }
    if (added.some(({ kind }) => EFFECTIVE_EVENT_KINDS.has(kind))) {
      for (const tell of this.#followers) tell();
    }
    return added;
  }

  /** The statement for rows with their columns in the order of `row`. */
  #insertStatement(row: NewEventRow): CompiledQuery<unknown> {
    return this.#database.build
      .insertInto('events')
      .values(row)
      .onConflict((conflict) => conflict.columns(['org_uuid', 'kind', 'event_id']).doNothing())
      .compile();
  }

  onAdded(listener: (events: readonly StoredEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  follow(listener: () => void): () => void {
    this.#followers.add(listener);
    return () => void this.#followers.delete(listener);
  }

  async unfinished(limit: number): Promise<StoredEvent[]> {
    const [{ rows }] = await this.#database.executor.run(this.#unfinished(limit).selectAll().compile());
    return rows.map(fromRow);
  }

  async claimUnfinished(
    limit: number,
    claim: ClaimTime,
    served: Ruuid | null = null,
  ): Promise<StoredEvent[]> {
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      const orgUuid = await this.#nextOrganization(claim, served);
      if (orgUuid === null) {
        this.#servedReporters.clear();
        return [];
      }
      const reporter = await this.#nextReporter(orgUuid, claim);
      const claimed = reporter === null ? [] : await this.#claimTurn({ orgUuid, reporter }, limit, claim);
      if (claimed.length > 0) return claimed;
    }
    return [];
  }

  /** null: all is finished, or claimed by others. */
  async #nextOrganization({ owner }: ClaimTime, served: Ruuid | null): Promise<Ruuid | null> {
    const first = this.#free(owner).select(({ fn }) => fn.min('org_uuid').as('first'));
    const next = served === null ? null : await this.#first(first.where('org_uuid', '>', served));
    const organization = next ?? (await this.#first(first));
    return organization === null ? null : ruuidOf(organization);
  }

  /** The next one in the order of their UUIDs has this turn. null: another gateway has claimed the events meanwhile. */
  async #nextReporter(orgUuid: Ruuid, { owner }: ClaimTime): Promise<string | null> {
    const own = this.#free(owner).where('org_uuid', '=', orgUuid);
    const first = own.select(({ fn }) => fn.min('reported_by').as('first'));
    const served = this.#servedReporters.get(orgUuid);
    const next = served === undefined ? null : await this.#first(first.where('reported_by', '>', served));
    const reporter = next ?? (await this.#first(first));
    if (reporter !== null) this.#servedReporters.set(orgUuid, reporter);
    return reporter;
  }

  async #first(query: { compile(): CompiledQuery<{ first: string | null }> }): Promise<string | null> {
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows[0]?.first ?? null;
  }

  /** Unfinished events that the owner may claim, or has. */
  #free(owner: Ruuid) {
    return this.#database.build
      .selectFrom('events')
      .where('is_unfinished', '=', sql.lit(1))
      .where(this.#isFree(owner));
  }

  #isFree(owner: Ruuid) {
    const { isShared, nowMs } = this.#database;
    return isShared
      ? sql<boolean>`(claimed_until_ms is null or claimed_until_ms <= ${nowMs} or claimed_by = ${owner})`
      : sql<boolean>`true`;
  }

  async #claimTurn(
    { orgUuid, reporter }: EventTurn,
    limit: number,
    { owner, ttlMs }: ClaimTime,
  ): Promise<StoredEvent[]> {
    const { build, executor, isShared, nowMs } = this.#database;
    const own = this.#unfinished(limit).where('org_uuid', '=', orgUuid).where('reported_by', '=', reporter);
    if (!isShared) {
      const [{ rows }] = await executor.run(own.selectAll().compile());
      return rows.map(fromRow);
    }
    const free = own
      .select(['org_uuid', 'kind', 'event_id'])
      .where(this.#isFree(owner))
      .forUpdate()
      .skipLocked();
    const claim = build
      .updateTable('events')
      .set({ claimed_by: owner, claimed_until_ms: sql<number>`${nowMs} + ${ttlMs}` })
      .where(({ eb, refTuple }) =>
        eb(refTuple('org_uuid', 'kind', 'event_id'), 'in', free.$asTuple('org_uuid', 'kind', 'event_id')),
      )
      .returningAll();
    const [{ rows }] = await executor.run(claim.compile());
    return rows.map(fromRow).sort((a, b) => a.atMs - b.atMs);
  }

  /** The oldest first. */
  #unfinished(limit: number) {
    return this.#database.build
      .selectFrom('events')
      .where('is_unfinished', '=', sql.lit(1))
      .orderBy('at_ms')
      .orderBy('org_uuid')
      .orderBy('kind')
      .orderBy('event_id')
      .limit(limit);
  }

  async keepClaims(events: readonly StoredEvent[], { owner, ttlMs }: ClaimTime): Promise<boolean> {
    const { build, executor, isShared, nowMs } = this.#database;
    if (!isShared) return true;
    const keep = build
      .updateTable('events')
      .set({ claimed_until_ms: sql<number>`${nowMs} + ${ttlMs}` })
      .where('is_unfinished', '=', sql.lit(1))
      .where('claimed_by', '=', owner);
    const [{ changes }] = await executor.run(keep.compile());
    return changes >= events.length;
  }

  async releaseClaims(owner: Ruuid): Promise<void> {
    const { build, executor, isShared } = this.#database;
    if (!isShared) return;
    const release = build
      .updateTable('events')
      .set({ claimed_by: null, claimed_until_ms: null })
      .where('is_unfinished', '=', sql.lit(1))
      .where('claimed_by', '=', owner);
    await executor.run(release.compile());
  }

  async finish(events: readonly StoredEvent[], owner: Ruuid): Promise<void> {
    if (events.length === 0) return;
    const { build, executor, isShared } = this.#database;
    await executor.run(
      ...events.map(({ orgUuid, kind, id }) => {
        const finished = build
          .updateTable('events')
          .set({ is_unfinished: 0 })
          .where('org_uuid', '=', orgUuid)
          .where('kind', '=', kind)
          .where('event_id', '=', id);
        return (isShared ? finished.where('claimed_by', '=', owner) : finished).compile();
      }),
    );
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

  async findAll(orgUuid: Ruuid, kind: EventKind, ids: readonly string[]): Promise<StoredEvent[]> {
    if (ids.length === 0) return [];
    const query = this.#database.build
      .selectFrom('events')
      .selectAll()
      .where('org_uuid', '=', orgUuid)
      .where('kind', '=', kind)
      .where('event_id', 'in', ids);
    const found = await this.#database.executor.readLong(query.compile());
    return found.map(fromRow).toArray();
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
    const found = await this.#database.executor.readLong(sorted.compile());
    return found.map(fromRow).toArray();
  }

  async amend(event: StoredEvent, body: object): Promise<boolean> {
    const { orgUuid, kind, id } = event;
    const [{ changes }] = await this.#database.executor.run(
      this.#database.build
        .updateTable('events')
        .set({ body_json: JSON.stringify(body) })
        .where('org_uuid', '=', orgUuid)
        .where('kind', '=', kind)
        .where('event_id', '=', id)
        .compile(),
    );
    if (changes === 0) return false;
    const after = { ...event, body };
    if (isAnnounced(after) && hasOtherFootage(event.body, body)) {
      this.#changes.publish(announcementOf(after, 'UPDATE'));
    }
    return true;
  }

  acknowledge(
    event: StoredEvent,
    before: Acknowledgement | null,
    after: Acknowledgement | null,
  ): Promise<boolean> {
    return this.#handle(event, 'alertAcknowledgement', 'acknowledgement_json', [
      before === null ? null : inOrder(before),
      after === null ? null : inOrder(after),
    ]);
  }

  take(event: StoredEvent, before: Taking | null, after: Taking | null): Promise<boolean> {
    return this.#handle(event, 'alertTaking', 'taken_json', [
      before === null ? null : takingInOrder(before),
      after === null ? null : takingInOrder(after),
    ]);
  }

  /** Replaces the column's text if it is still that of `before`. */
  async #handle(
    { orgUuid, kind, id, deviceUuid }: StoredEvent,
    entity: 'alertAcknowledgement' | 'alertTaking',
    column: 'acknowledgement_json' | 'taken_json',
    [before, after]: readonly [Taking | null, Taking | null],
  ): Promise<boolean> {
    const given = after ?? before;
    if (given === null) return false;
    const update = this.#database.build
      .updateTable('events')
      .set({ [column]: after === null ? null : JSON.stringify(after) })
      .where('org_uuid', '=', orgUuid)
      .where('kind', '=', kind)
      .where('event_id', '=', id);
    const changed =
      before === null ? update.where(column, 'is', null) : update.where(column, '=', JSON.stringify(before));
    const [{ changes }] = await this.#database.executor.run(changed.compile());
    if (changes === 0) return false;
    this.#changes.publish({
      entity,
      type: before === null ? 'CREATE' : after === null ? 'DELETE' : 'UPDATE',
      orgUuid,
      uuid: ruuidOf(id),
      details: { deviceUuid, fields: { timestampMs: given.atMs, name: given.actorName } },
    });
    return true;
  }

  async removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number> {
    let removed = 0;
    for (const kind of EVENT_KINDS) {
      if (removed >= limit) break;
      const old = this.#within(orgUuid, { kind, fromMs: 0, toMs: beforeMs })
        .select(['org_uuid', 'kind', 'event_id'])
        .orderBy('at_ms')
        .orderBy('event_id')
        .limit(limit - removed);
      const [{ changes }] = await this.#database.executor.run(
        this.#database.build
          .deleteFrom('events')
          .where(({ eb, refTuple }) =>
            eb(refTuple('org_uuid', 'kind', 'event_id'), 'in', old.$asTuple('org_uuid', 'kind', 'event_id')),
          )
          .compile(),
      );
      removed += changes;
    }
    return removed;
  }

  async removeExcess(orgUuid: Ruuid, bound: UseBound, limit: number): Promise<number> {
    const excess = await this.#use.excess(orgUuid, 'event', bound);
    if (excess === null) return 0;
    const { build, executor } = this.#database;
    const oldest = build
      .selectFrom('events')
      .select(['org_uuid', 'kind', 'event_id'])
      .where('org_uuid', '=', orgUuid)
      .where('reported_by', '=', excess.holder)
      .orderBy('at_ms')
      .limit(Math.min(excess.rows, limit));
    const removal = build
      .deleteFrom('events')
      .where(({ eb, refTuple }) =>
        eb(refTuple('org_uuid', 'kind', 'event_id'), 'in', oldest.$asTuple('org_uuid', 'kind', 'event_id')),
      );
    const [{ changes }] = await executor.run(removal.compile());
    return changes;
  }

  async count(orgUuid: Ruuid, { limit, ...query }: EventCount): Promise<number> {
    const found = this.#within(orgUuid, query);
    const counted =
      limit === undefined
        ? found.select(({ fn }) => fn.countAll<number>().as('count'))
        : this.#database.build
            .selectFrom(found.select('event_id').limit(limit).as('found'))
            .select(({ fn }) => fn.countAll<number>().as('count'));
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
      isOpen,
      fromMs,
      toMs,
    }: Pick<
      EventQuery,
      'kind' | 'deviceUuid' | 'deviceUuids' | 'locationUuids' | 'isOpen' | 'fromMs' | 'toMs'
    >,
  ) {
    let rows = this.#database.build
      .selectFrom('events')
      .where('org_uuid', '=', orgUuid)
      // As text: only then do databases use the index of open alerts.
      .where('kind', '=', isOpen === true ? sql.lit(kind) : kind)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs);
    if (deviceUuid !== undefined) rows = rows.where('device_uuid', '=', deviceUuid);
    if (deviceUuids !== undefined && deviceUuids.length <= MAX_BOUND_UUIDS) {
      rows = rows.where('device_uuid', 'in', deviceUuids);
    } else if (deviceUuids !== undefined) {
      rows = rows.where(sql<SqlBool>`device_uuid in ${uuidList(this.#database, deviceUuids)}`);
    }
    if (locationUuids !== undefined) rows = rows.where('location_uuid', 'in', locationUuids);
    if (isOpen === true) rows = rows.where('acknowledgement_json', 'is', null);
    return rows;
  }
}

function toRow(event: StoredEvent, isUnfinished: boolean): NewEventRow {
  const { locationUuid = null, acknowledgement, taking, reporterUuid } = event;
  const handled = {
    acknowledgement: acknowledgement === undefined ? null : inOrder(acknowledgement),
    taking: taking === undefined ? null : takingInOrder(taking),
  };
  return {
    ...EVENTS.toRow({ ...event, locationUuid, ...handled }),
    is_unfinished: isUnfinished ? 1 : 0,
    reported_by: reporterUuid ?? '',
  };
}

function fromRow(row: EventRow): StoredEvent {
  const { locationUuid, acknowledgement, taking, ...event } = EVENTS.fromRow(row);
  return {
    ...event,
    ...(locationUuid === null ? {} : { locationUuid }),
    ...(acknowledgement === null ? {} : { acknowledgement }),
    ...(taking === null ? {} : { taking }),
  };
}

/** Its text is always the same for the same acknowledgement: it is compared. */
function inOrder({ atMs, actorUuid, actorName, note }: Acknowledgement): Acknowledgement {
  return { atMs, actorUuid, actorName, note };
}

function takingInOrder({ atMs, actorUuid, actorName }: Taking): Taking {
  return { atMs, actorUuid, actorName };
}
