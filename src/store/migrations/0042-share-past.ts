/** How far back viewers of a share see the past, and until when. */

import type { Migration } from './migration.ts';

export const sharePast: Migration = {
  version: 42,
  name: 'limits of the past of shares',
  sql: `
alter table shares add column vod_past_sec integer;
alter table shares add column vod_expires_at_sec integer;
`,
};
