/**
 * Views that were ended and addresses that were blocked, for as long as that lasts. A link is a share, a shared wall or a
 * shared group, so the rows refer to no table.
 */

import type { Migration } from './migration.ts';

export const endedViews: Migration = {
  version: 22,
  name: 'ended views and blocked addresses',
  sql: `
create table ended_views (
  org_uuid text not null,
  link_uuid text not null,
  kind text not null check (kind in ('viewer', 'address')),
  subject text not null,
  until_ms integer not null,
  primary key (link_uuid, kind, subject)
) strict;
create index ended_views_by_end on ended_views (until_ms);
`,
};
