/**
 * Tables for reports by the million (crossing.ts), the audit trail (audit.ts), the location of events, and keys for
 * devices. Devices are numbered so that a crossing is a handful of small integers. Quarter hours hold the sums of a
 * device's rows, because every time zone offset in use today is a multiple of them.
 */

import type { Migration } from './migration.ts';

export const crossings: Migration = {
  version: 6,
  name: 'crossings, occupancy, audit trail, device keys',
  sql: `
alter table api_keys add column devices_only integer not null default 0 check (devices_only in (0, 1));

alter table events add column location_uuid text;
create index events_by_location on events (org_uuid, kind, location_uuid, at_ms, event_id);

create table reporting_devices (
  device_key integer primary key,
  org_uuid text not null references organisations (uuid),
  device_uuid text not null,
  facet text not null,
  unique (org_uuid, device_uuid, facet)
) strict;

create table crossings (
  device_key integer not null references reporting_devices (device_key),
  event_id text not null,
  at_ms integer not null,
  object_type integer not null,
  direction integer not null check (direction in (0, 1)),
  object_id integer not null,
  primary key (device_key, event_id)
) strict, without rowid;
create index crossings_by_time on crossings (device_key, at_ms, object_type, direction, object_id);

create table crossing_quarter_hours (
  device_key integer not null references reporting_devices (device_key),
  quarter_hour integer not null,
  object_type integer not null,
  ingress_count integer not null,
  egress_count integer not null,
  primary key (device_key, quarter_hour, object_type)
) strict, without rowid;

create table occupancy_counts (
  device_key integer not null references reporting_devices (device_key),
  event_id text not null,
  at_ms integer not null,
  occupancy integer not null,
  primary key (device_key, event_id)
) strict, without rowid;
create index occupancy_counts_by_time on occupancy_counts (device_key, at_ms, occupancy);

create table audit_events (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  at_ms integer not null,
  action text not null,
  target_uuid text not null,
  target_name text not null,
  principal_type text not null,
  principal_uuid text,
  principal_name text not null,
  source_ip text,
  user_agent text
) strict;
create index audit_events_by_time on audit_events (org_uuid, at_ms, uuid);
create index audit_events_by_action on audit_events (org_uuid, action, at_ms, uuid);
create index audit_events_by_target on audit_events (org_uuid, target_uuid, at_ms);
`,
};
