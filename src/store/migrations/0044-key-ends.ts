/**
 * When API keys end, and when they were last used. Uses have a table of their own: they are no changes of a key, so neither the change log
 * nor the caches of keys see them.
 */

import { KEY_USES_MIGRATION } from '../entities.ts';
import type { Migration } from './migration.ts';

export const keyEnds: Migration = {
  version: 44,
  name: KEY_USES_MIGRATION,
  sql: `
alter table api_keys add column expires_at_ms integer;

create table api_key_uses (
  key_uuid text primary key references api_keys (uuid) on delete cascade,
  org_uuid text not null,
  last_used_at_ms integer not null
) strict;
create index api_key_uses_by_org on api_key_uses (org_uuid);
`,
};
