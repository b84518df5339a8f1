/**
 * Crossings that know when their object crossed before, for counting objects without sorting (crossing-table.ts), and
 * an index that reads pages in their order.
 */

import type { Migration } from './migration.ts';

export const crossingObjects: Migration = {
  version: 7,
  name: 'objects of crossings',
  sql: `
alter table crossings add column previous_at_ms integer not null default -1;
create index crossings_by_object on crossings
  (device_key, object_type, object_id, direction, at_ms, event_id);
update crossings set previous_at_ms = coalesce((
  select max(earlier.at_ms) from crossings as earlier
  where earlier.device_key = crossings.device_key
    and earlier.object_type = crossings.object_type
    and earlier.object_id = crossings.object_id
    and earlier.direction = crossings.direction
    and (earlier.at_ms, earlier.event_id) < (crossings.at_ms, crossings.event_id)
), -1);
drop index crossings_by_time;
create index crossings_by_time on crossings
  (device_key, at_ms, event_id, previous_at_ms, object_type, direction);
`,
};
