/** How far back viewers of a shared wall see the past, and until when. */

import type { Migration } from './migration.ts';

export const wallPast: Migration = {
  version: 48,
  name: 'limits of the past of shared walls',
  sql: `
alter table wall_shares add column vod_past_sec integer;
alter table wall_shares add column vod_expires_at_sec integer;
`,
};
