/** Work that several gateways on one database do only once: leases by name (lease.ts), and events that one of them works on. */

import type { Migration } from './migration.ts';

export const leases: Migration = {
  version: 28,
  name: 'leases and claimed events',
  sql: `
create table leases (
  name text not null primary key,
  owner text not null,
  fence integer not null,
  until_ms integer not null
) strict;
alter table events add column claimed_by text;
alter table events add column claimed_until_ms integer;
`,
};
