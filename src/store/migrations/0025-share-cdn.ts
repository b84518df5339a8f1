/** Whether a share's viewers get live media under paths that a CDN can cache. */

import type { Migration } from './migration.ts';

export const shareCdn: Migration = {
  version: 25,
  name: 'shares behind a CDN',
  sql: `
alter table shares add column cdn integer check (cdn in (0, 1));
`,
};
