/**
 * Schedules of the two relative kinds. SQLite cannot change a check, so the table is created again; nothing refers to it.
 */

import type { Migration } from './migration.ts';

export const relativeSchedules: Migration = {
  version: 5,
  name: 'relative schedules',
  sql: `
create table schedules_of_all_kinds (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  name text not null,
  mutable integer not null check (mutable in (0, 1)),
  one_time_use integer not null check (one_time_use in (0, 1)),
  strategy text not null check (
    strategy in (
      'WEEKLY_REPEATING_MINUTES', 'ABSOLUTE_SECONDS', 'REALTIME_RELATIVE_SECONDS', 'RELATIVE_DATETIME_INTERVALS'
    )
  ),
  intervals_json text not null,
  created_at_ms integer not null,
  updated_at_ms integer not null
) strict;
insert into schedules_of_all_kinds
  (uuid, org_uuid, name, mutable, one_time_use, strategy, intervals_json, created_at_ms, updated_at_ms)
select uuid, org_uuid, name, mutable, one_time_use, strategy, intervals_json, created_at_ms, updated_at_ms
from schedules;
drop table schedules;
alter table schedules_of_all_kinds rename to schedules;
create index schedules_by_org on schedules (org_uuid, created_at_ms, uuid);
`,
};
