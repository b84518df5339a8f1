/** Events that have not taken effect yet (event.ts), so that a gateway that was killed finds them again. */

import type { Migration } from './migration.ts';

export const unfinishedEvents: Migration = {
  version: 8,
  name: 'unfinished events',
  sql: `
alter table events add column is_unfinished integer not null default 0;
create index events_unfinished on events (at_ms, org_uuid, kind, event_id) where is_unfinished = 1;
`,
};
