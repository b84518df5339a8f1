/** Audit rows that cover several views of one share from one address (src/audit/viewing-merger.ts). */

import type { Migration } from './migration.ts';

export const mergedViewings: Migration = {
  version: 11,
  name: 'merged viewings',
  sql: `
alter table audit_events add column occurrences integer not null default 1;
alter table audit_events add column last_at_ms integer;
`,
};
