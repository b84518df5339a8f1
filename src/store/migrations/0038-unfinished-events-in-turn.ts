/** Organizations take turns with their unfinished events (event-effects.ts), so they are found by organization. */

import type { Migration } from './migration.ts';

export const unfinishedEventsInTurn: Migration = {
  version: 38,
  name: 'unfinished events by organization',
  sql: `
drop index events_unfinished;
create index events_unfinished on events (org_uuid, at_ms, kind, event_id) where is_unfinished = 1;
`,
};
