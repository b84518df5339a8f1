/**
 * The sites and cameras to which the rights of people and API keys are limited, as JSON; null: the whole organization. Those that exist keep
 * all rights.
 */

import type { Migration } from './migration.ts';

export const limitedRights: Migration = {
  version: 40,
  name: 'rights by site and camera',
  sql: `
alter table people add column scope_json text;
alter table api_keys add column scope_json text;
`,
};
