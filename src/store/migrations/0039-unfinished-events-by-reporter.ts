/** Credentials of an organization take turns with their unfinished events (event-table.ts), so they are found by credential. */

import type { Migration } from './migration.ts';

export const unfinishedEventsByReporter: Migration = {
  version: 39,
  name: 'unfinished events by credential',
  sql: `
drop index events_unfinished;
create index events_unfinished on events (org_uuid, reported_by, at_ms, kind, event_id) where is_unfinished = 1;
`,
};
