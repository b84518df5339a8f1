/** The acknowledgement of an alert (event.ts), and the times at which the gateway was running (gateway-run.ts). */

import type { Migration } from './migration.ts';

export const acknowledgedAlertsAndRuns: Migration = {
  version: 21,
  name: 'acknowledged alerts and runs of the gateway',
  sql: `
alter table events add column acknowledgement_json text;

create table gateway_runs (
  uuid text primary key,
  started_at_ms integer not null,
  last_seen_at_ms integer not null
) strict;
create index gateway_runs_by_end on gateway_runs (last_seen_at_ms, uuid);
`,
};
