/**
 * Resources whose uuid is unique only within their organization and kind: reporters choose uuids, and must not learn from
 * a refusal that another organization has one.
 */

import type { Migration } from './migration.ts';

export const resourcesByOrganisation: Migration = {
  version: 9,
  name: 'resources by organisation',
  sql: `
create table own_resources (
  uuid text not null,
  org_uuid text not null references organisations (uuid),
  kind text not null,
  name text not null,
  parent_uuid text,
  body_json text not null,
  secret_encrypted text,
  created_at_ms integer not null,
  updated_at_ms integer not null,
  primary key (kind, uuid, org_uuid)
) strict;
insert into own_resources
  (uuid, org_uuid, kind, name, parent_uuid, body_json, secret_encrypted, created_at_ms, updated_at_ms)
  select uuid, org_uuid, kind, name, parent_uuid, body_json, secret_encrypted, created_at_ms, updated_at_ms
  from resources;
drop table resources;
alter table own_resources rename to resources;
create index resources_by_kind on resources (org_uuid, kind, created_at_ms, uuid);
create index resources_by_parent on resources (org_uuid, kind, parent_uuid, created_at_ms, uuid);
`,
};
