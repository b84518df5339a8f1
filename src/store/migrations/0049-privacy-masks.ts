/** Privacy masks of cameras, and the links that show their cameras without them. */

import type { Migration } from './migration.ts';

export const privacyMasks: Migration = {
  version: 49,
  name: 'privacy masks',
  sql: `
alter table cameras add column masks_json text not null default '[]';
alter table shares add column shows_unmasked integer not null default 0 check (shows_unmasked in (0, 1));
alter table wall_shares add column shows_unmasked integer not null default 0 check (shows_unmasked in (0, 1));
`,
};
