/** Links whose viewers may talk to the camera. */

import type { Migration } from './migration.ts';

export const talkByLink: Migration = {
  version: 54,
  name: 'talk by link',
  sql: `
alter table shares add column talk integer not null default 0 check (talk in (0, 1));
`,
};
