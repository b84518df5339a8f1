/** Cameras whose privacy masks also apply to the organization's own viewers. */

import type { Migration } from './migration.ts';

export const masksForViewers: Migration = {
  version: 51,
  name: 'masks for viewers',
  sql: `
alter table cameras add column masks_for_viewers integer not null default 0 check (masks_for_viewers in (0, 1));
`,
};
