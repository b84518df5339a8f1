/**
 * Rows and bytes that each organization has stored of reports about it, counted by triggers, so that a bound
 * (docs/design/limits.md#stored) costs one read, not a count of a million rows. Events also name their reporter.
 *
 * `holder` is who makes room at a bound: of events the credential that reported them, of crossings and occupancy counts the
 * device. Of several connections to PostgreSQL, each has rows of its own (`shard`), so that they do not wait for each other.
 */

import type { Migration } from './migration.ts';

/** About what the rest of a row and its entries in indexes take. */
const EVENT_BYTES = 400;
const RESOURCE_BYTES = 300;
const REPORT_BYTES = 150;

interface Counted {
  readonly table: string;
  readonly suffix: string;
  /** The organization of a row named `of`. */
  readonly org: (of: string) => string;
  readonly kind: (of: string) => string;
  readonly holder: (of: string) => string;
  readonly bytes: (of: string) => string;
  /** The column whose change changes the bytes; null: rows do not change. */
  readonly grows: string | null;
}

const ofDevice = (of: string) =>
  `(select org_uuid from reporting_devices where device_key = ${of}.device_key)`;
const reported = (table: string, suffix: string, kind: string): Counted => ({
  table,
  suffix,
  org: ofDevice,
  kind: () => `'${kind}'`,
  grows: null,
  holder: (of) => `'' || ${of}.device_key`,
  bytes: (of) => `octet_length(${of}.event_id) + ${REPORT_BYTES}`,
});

const COUNTED: readonly Counted[] = [
  {
    table: 'events',
    suffix: 'event',
    kind: () => `'event'`,
    grows: 'body_json',
    org: (of) => `${of}.org_uuid`,
    holder: (of) => `${of}.reported_by`,
    bytes: (of) => `octet_length(${of}.body_json) + ${EVENT_BYTES}`,
  },
  {
    table: 'resources',
    suffix: 'resource',
    grows: 'body_json',
    org: (of) => `${of}.org_uuid`,
    kind: (of) => `${of}.kind`,
    holder: () => `''`,
    bytes: (of) => `octet_length(${of}.body_json) + ${RESOURCE_BYTES}`,
  },
  reported('crossings', 'crossing', 'crossing'),
  reported('occupancy_counts', 'occupancy_count', 'occupancyCount'),
];

/** A statement that adds `rows` and `bytes` to the counts of the row `of`. */
function count(
  { org, kind, holder }: Counted,
  of: string,
  shard: string,
  rows: string,
  bytes: string,
): string {
  return `insert into stored_use (org_uuid, kind, holder, shard, row_count, byte_count)
    values (${org(of)}, ${kind(of)}, ${holder(of)}, ${shard}, ${rows}, ${bytes})
    on conflict (org_uuid, kind, holder, shard) do update set
      row_count = stored_use.row_count + excluded.row_count, byte_count = stored_use.byte_count + excluded.byte_count;`;
}

function sqliteTriggers(counted: Counted): string {
  const { table, suffix, bytes, grows } = counted;
  const growth =
    grows === null
      ? ''
      : `
create trigger use_of_changed_${suffix} after update of ${grows} on ${table}
when octet_length(new.${grows}) <> octet_length(old.${grows}) begin
  ${count(counted, 'new', '0', '0', `${bytes('new')} - (${bytes('old')})`)}
end;`;
  return `
create trigger use_of_added_${suffix} after insert on ${table} begin
  ${count(counted, 'new', '0', '1', bytes('new'))}
end;
create trigger use_of_removed_${suffix} after delete on ${table} begin
  ${count(counted, 'old', '0', '-1', `-(${bytes('old')})`)}
end;${growth}`;
}

const POSTGRES_SHARD = 'pg_backend_pid() % 16';

function postgresTriggers(counted: Counted): string {
  const { table, suffix, bytes, grows } = counted;
  return `
create function count_use_of_${suffix}() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'INSERT' then
    ${count(counted, 'new', POSTGRES_SHARD, '1', bytes('new'))}
  elsif tg_op = 'DELETE' then
    ${count(counted, 'old', POSTGRES_SHARD, '-1', `-(${bytes('old')})`)}
  else
    ${count(counted, 'new', POSTGRES_SHARD, '0', `${bytes('new')} - (${bytes('old')})`)}
  end if;
  return null;
end $$;
create trigger use_of_${suffix} after insert or delete on ${table}
  for each row execute function count_use_of_${suffix}();${
    grows === null
      ? ''
      : `
create trigger use_of_changed_${suffix} after update of ${grows} on ${table}
  for each row when (octet_length(new.${grows}) <> octet_length(old.${grows}))
  execute function count_use_of_${suffix}();`
  }`;
}

/** Counts the existing rows. */
function countAll({ table, org, kind, holder, bytes }: Counted): string {
  return `
insert into stored_use (org_uuid, kind, holder, shard, row_count, byte_count)
  select ${org(table)}, ${kind(table)}, ${holder(table)}, 0, count(*), sum(${bytes(table)})
  from ${table} group by 1, 2, 3;`;
}

export const storedUse: Migration = {
  version: 33,
  name: 'what organizations have stored',
  sql: `
alter table events add column reported_by text not null default '';
create index events_by_reporter on events (org_uuid, reported_by, at_ms);

create index audit_events_of_devices on audit_events (org_uuid, at_ms, uuid) where principal_type = 'DEVICE';

create table stored_use (
  org_uuid text not null,
  kind text not null,
  holder text not null,
  shard integer not null,
  row_count integer not null,
  byte_count integer not null,
  primary key (org_uuid, kind, holder, shard)
) strict, without rowid;
${COUNTED.map(countAll).join('')}
`,
  sqlite: COUNTED.map(sqliteTriggers).join(''),
  postgres: COUNTED.map(postgresTriggers).join(''),
};
