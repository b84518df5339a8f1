/** What a wall, a clip, or a link to it showed, which stays known after it is deleted. */

import type { Migration } from './migration.ts';

export const shownFootage: Migration = {
  version: 53,
  name: 'shown footage',
  sql: `
alter table audit_events add column footage_json text;
`,
};
