/**
 * The log of changes (src/store/migrations/0026-change-log.ts), for a process that follows it.
 *
 * A position is the snapshot of the last read, and the newest row of that snapshot. New are rows that are visible now and
 * were not visible in that snapshot. Transactions commit in another order than they get their IDs, and their rows theirs:
 * comparing snapshots instead of numbers leaves no row out, and a transaction that runs for long, of any application on
 * the server, delays no other's rows. Rows with higher numbers than the newest one are new whatever their transaction ID:
 * a server that took over from a failed one may use an ID again.
 *
 * Within a read, rows are in the order of their numbers. A trigger draws the number while its transaction holds the lock on
 * the changed record, so rows of one record are in the order of their commits.
 */

import type { Ruuid } from '../../core/ruuid.ts';
import { optionalRuuidOf, ruuidOf } from '../repositories/columns.ts';
import { announcementOf, hasOtherFootage } from '../repositories/event-announcement.ts';
import type { ChangeDetails, ChangeEvent, EntityKind } from '../store.ts';
import { decodeText } from './postgres-values.ts';

export const CHANGE_CHANNEL = 'sluice_changes';

/** More rows than this are not read one by one: whatever is followed is loaded again. */
export const MAX_ROWS_PER_READ = 10_000;

/** Rows of the log that are kept, at least: a connection that was lost for longer has missed changes. */
export const LOG_KEPT_MS = 3_600_000;

/** How far a process has read. */
export interface LogPosition {
  /** As text of the type `pg_snapshot`. */
  readonly snapshot: string;
  /** ID of the newest row that this snapshot shows, or, if there is none, of the newest one that was ever deleted. */
  readonly newestId: number;
  /** The transaction of that row; null: it is deleted. */
  readonly newestXid: string | null;
}

/** Before the first read. It shows no row. */
const NOWHERE: LogPosition = { snapshot: '1:1:', newestId: Number.MAX_SAFE_INTEGER, newestXid: null };

interface LoggedRow {
  readonly entity: string;
  readonly type: string;
  readonly org_uuid: string;
  readonly uuid: string;
  readonly device_uuid: string | null;
  readonly fields: Record<string, unknown> | null;
}

export interface LogResponse {
  readonly snapshot: string;
  readonly pruned_id: number;
  readonly newest_id: number | null;
  readonly newest_xid: string | null;
  /** The transaction of the row that was the newest at the last read; null: the row is gone. */
  readonly seen_xid: string | null;
  readonly has_old_rows: boolean;
  readonly rows: readonly LoggedRow[];
}

/** One statement, so that everything is of one snapshot. Rows of a restored dump can name transactions of the future. */
const READ = `
select pg_current_snapshot()::text as snapshot, pruned.id as pruned_id,
  newest.id as newest_id, newest.xid::text as newest_xid,
  (select xid::text from change_log where id = $1) as seen_xid,
  coalesce((select at < now() - $5::float8 * interval '1 millisecond' from change_log order by id limit 1), false)
    as has_old_rows,
  coalesce(
    (select json_agg(json_build_object('entity', entity, 'type', type, 'org_uuid', org_uuid, 'uuid', uuid,
       'device_uuid', device_uuid, 'fields', fields) order by id)
     from (
       select * from change_log
       where (id > $1 or (xid >= pg_snapshot_xmin($2::pg_snapshot) and not pg_visible_in_snapshot(xid, $2::pg_snapshot)))
         and xid < pg_snapshot_xmax(pg_current_snapshot())
         and origin <> $3
       order by id limit $4
     ) as fresh),
    '[]') as rows
from change_log_pruned as pruned
left join lateral (select id, xid from change_log order by id desc limit 1) as newest on true`;

/** Reads the commits of processes with another origin than `origin`. `from` null: none, only the position. */
export function readStatement(from: LogPosition | null, origin: string) {
  const { newestId, snapshot } = from ?? NOWHERE;
  const limit = from === null ? 0 : MAX_ROWS_PER_READ + 1;
  return { name: 'read change log', text: READ, values: [newestId, snapshot, origin, limit, LOG_KEPT_MS] };
}

/** Deletes in small steps, oldest first. Two processes that delete at the same time do not wait for each other's rows. */
export const PRUNE = `
with gone as (
  delete from change_log where id in (
    select id from (select id, at from change_log order by id limit 1000 for update skip locked) as oldest
    where at < now() - $1::float8 * interval '1 millisecond'
  ) returning id
), noted as (
  update change_log_pruned set id = greatest(id, (select max(id) from gone)) where exists (select 1 from gone)
)
select count(*)::int as count from gone`;

export function positionOf({ snapshot, pruned_id, newest_id, newest_xid }: LogResponse): LogPosition {
  return { snapshot, newestId: newest_id ?? pruned_id, newestXid: newest_xid };
}

/**
 * Whether rows after `from` cannot be read: they were deleted, they are too many, or the database is not the one that was read
 * before (a restored backup, or a server that took over without the newest rows).
 */
export function hasMissed(from: LogPosition, { pruned_id, seen_xid, rows }: LogResponse): boolean {
  if (pruned_id > from.newestId || rows.length > MAX_ROWS_PER_READ) return true;
  if (pruned_id === from.newestId) return false;
  return seen_xid === null || seen_xid !== from.newestXid;
}

/** null: nothing that anyone follows has changed. */
export function eventOf(row: LoggedRow): ChangeEvent | null {
  const { entity, type, org_uuid, uuid, device_uuid, fields } = row;
  if (entity === 'policyAlert' || entity === 'componentEvent') return announcementIn({ ...row, entity });
  const event = {
    entity: entity as EntityKind,
    type: type as ChangeEvent['type'],
    orgUuid: ruuidOf(org_uuid),
    uuid: ruuidOf(uuid),
    isForeign: true,
  } as const;
  const deviceUuid = optionalRuuidOf(device_uuid);
  return fields === null ? event : { ...event, details: detailsOf(event.entity, deviceUuid, fields) };
}

/** `before`: of an alert that was amended. Component events have neither body. */
interface LoggedEvent {
  readonly atMs: number;
  readonly body?: object;
  readonly before?: object;
}

function announcementIn({
  entity: kind,
  ...row
}: LoggedRow & { readonly entity: 'policyAlert' | 'componentEvent' }): ChangeEvent | null {
  const { atMs, body = {}, before } = row.fields as unknown as LoggedEvent;
  if (before !== undefined && !hasOtherFootage(before, body)) return null;
  const event = {
    kind,
    orgUuid: ruuidOf(row.org_uuid),
    id: row.uuid,
    deviceUuid: ruuidOf(row.device_uuid!),
    atMs,
    body,
  };
  return { ...announcementOf(event, before === undefined ? 'CREATE' : 'UPDATE'), isForeign: true };
}

function detailsOf(
  entity: EntityKind,
  deviceUuid: Ruuid | null,
  fields: Record<string, unknown>,
): ChangeDetails {
  if (entity === 'alertAcknowledgement' || entity === 'alertTaking') {
    const { atMs, actorName } = fields as { readonly atMs: number; readonly actorName: string };
    return { deviceUuid, fields: { timestampMs: atMs, name: actorName } };
  }
  const decoded = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? decodeText(value) : value,
  ]);
  return { deviceUuid, fields: Object.fromEntries(decoded) };
}
