/** The person who created an API key, so that it can end with them. Those that exist have none. */

import type { Migration } from './migration.ts';

export const creatorsOfKeys: Migration = {
  version: 47,
  name: 'creators of API keys',
  sql: `
alter table api_keys add column created_by_uuid text;
`,
};
