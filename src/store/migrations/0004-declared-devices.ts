/** Distinguishes NVRs and locations of the configuration file from those of the API, and gives locations a hierarchy. */

import type { Migration } from './migration.ts';

export const declaredDevices: Migration = {
  version: 4,
  name: 'declared NVRs, location hierarchy',
  sql: `
alter table nvrs add column from_config integer not null default 0 check (from_config in (0, 1));
alter table locations add column from_config integer not null default 0 check (from_config in (0, 1));
alter table locations add column parent_uuid text;
alter table locations add column policy_uuid text;
alter table locations add column labels_json text not null default '[]';
`,
};
