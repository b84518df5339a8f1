/** The required proof of a camera's certificate. */

import type { Migration } from './migration.ts';

export const cameraTls: Migration = {
  version: 10,
  name: 'trust in certificates of cameras',
  sql: `
alter table cameras add column tls text not null default 'any';
`,
};
