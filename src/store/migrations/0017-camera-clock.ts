/** The clock that dates a camera's frames. */

import type { Migration } from './migration.ts';

export const cameraClock: Migration = {
  version: 17,
  name: 'clocks of cameras',
  sql: `
alter table cameras add column clock text not null default 'arrival';
`,
};
