/**
 * A column for fields of bodies that are encrypted at rest (sealed-fields.ts), and an index of rows that earlier versions wrote: they
 * are encrypted when the store is opened, because the database does not have the key.
 */

import { UNSEALED_RESOURCES } from '../sealed-fields.ts';
import type { Migration } from './migration.ts';

export const sealedFields: Migration = {
  version: 36,
  name: 'sealed fields of resources',
  sql: `
alter table resources add column sealed_encrypted text;
create index unsealed_resources on resources (uuid) where ${UNSEALED_RESOURCES};
`,
};
