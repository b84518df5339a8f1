/** How long a run that relies on the store lives after one of its beats, at least (docs/design/cluster.md#redis-outages). */

import type { Migration } from './migration.ts';

export const relianceTimes: Migration = {
  version: 32,
  name: 'times of reliances',
  sql: `
alter table cluster_reliances add column alive_ms integer not null default 10000;
`,
};
