/** The tables of resources (resource.ts) and events (event.ts). Events are clustered by their key: they have no uuid. */

import type { Migration } from './migration.ts';

export const resourcesAndEvents: Migration = {
  version: 2,
  name: 'resources and events',
  sql: `
create table resources (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  kind text not null,
  name text not null,
  parent_uuid text,
  body_json text not null,
  secret_encrypted text,
  created_at_ms integer not null,
  updated_at_ms integer not null
) strict;
create index resources_by_kind on resources (org_uuid, kind, created_at_ms, uuid);
create index resources_by_parent on resources (org_uuid, kind, parent_uuid, created_at_ms, uuid);

create table events (
  org_uuid text not null references organisations (uuid),
  kind text not null,
  event_id text not null,
  device_uuid text not null,
  at_ms integer not null,
  body_json text not null,
  primary key (org_uuid, kind, event_id)
) strict, without rowid;
create index events_by_time on events (org_uuid, kind, at_ms, event_id);
create index events_by_device on events (org_uuid, kind, device_uuid, at_ms, event_id);
`,
};
