/**
 * Organizations and what belongs to them, and the streams' ledger. A reference between rows of one organization includes
 * the organization, so that no row can refer to another organization. Shares refer to cameras and schedules without a
 * foreign key on purpose: a camera that leaves the configuration keeps its links in case it returns, and a missing
 * schedule hides the share (docs/design/access.md#schedules). The ledger outlives cameras because its numbers must never
 * go back.
 */

import type { Migration } from './migration.ts';

export const initialSchema: Migration = {
  version: 1,
  name: 'initial schema',
  sql: `
create table schema_history (
  version integer primary key,
  name text not null,
  applied_at_ms integer not null
) strict;

create table store_meta (
  name text primary key,
  value text not null
) strict;

create table organisations (
  uuid text primary key,
  name text not null,
  partner_uuid text,
  created_at_ms integer not null
) strict;

create table api_keys (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  name text not null,
  scheme text not null check (scheme in ('api', 'partner-api')),
  key_hash text not null unique,
  created_at_ms integer not null,
  revoked_at_ms integer
) strict;
create index api_keys_by_org on api_keys (org_uuid, created_at_ms, uuid);

create table locations (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  name text not null,
  tz text not null,
  latitude real,
  longitude real,
  address1 text,
  address2 text,
  postal_code text,
  country_code text,
  created_at_ms integer not null,
  unique (org_uuid, uuid)
) strict;
create index locations_by_org on locations (org_uuid, created_at_ms, uuid);

create table nvrs (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  location_uuid text,
  name text not null,
  serial_number text,
  created_at_ms integer not null,
  mummified integer not null check (mummified in (0, 1)),
  unique (org_uuid, uuid),
  foreign key (org_uuid, location_uuid) references locations (org_uuid, uuid)
) strict;
create index nvrs_by_org on nvrs (org_uuid, created_at_ms, uuid);
create index nvrs_by_location on nvrs (org_uuid, location_uuid);

create table cameras (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  location_uuid text,
  nvr_uuid text,
  kind text not null check (kind in ('camera', 'doorbell')),
  name text not null,
  rtsp_url_encrypted text not null,
  substream_url_encrypted text,
  engine text not null,
  transport text not null,
  created_at_ms integer not null,
  mummified integer not null check (mummified in (0, 1)),
  from_config integer not null check (from_config in (0, 1)),
  foreign key (org_uuid, location_uuid) references locations (org_uuid, uuid),
  foreign key (org_uuid, nvr_uuid) references nvrs (org_uuid, uuid)
) strict;
create index cameras_by_org on cameras (org_uuid, created_at_ms, uuid);
create index cameras_by_location on cameras (org_uuid, location_uuid);
create index cameras_by_nvr on cameras (org_uuid, nvr_uuid);

create table schedules (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  name text not null,
  mutable integer not null check (mutable in (0, 1)),
  one_time_use integer not null check (one_time_use in (0, 1)),
  strategy text not null check (strategy in ('WEEKLY_REPEATING_MINUTES', 'ABSOLUTE_SECONDS')),
  intervals_json text not null,
  created_at_ms integer not null,
  updated_at_ms integer not null
) strict;
create index schedules_by_org on schedules (org_uuid, created_at_ms, uuid);

create table shares (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  camera_uuid text not null,
  camera_facet text not null,
  name text not null,
  stream_type text not null,
  vod_enabled integer not null check (vod_enabled in (0, 1)),
  include_audio integer not null check (include_audio in (0, 1)),
  audio_gateway_uuid text,
  sso_protected integer not null check (sso_protected in (0, 1)),
  expires_at_sec integer,
  schedule_uuid text,
  invert_schedule integer not null check (invert_schedule in (0, 1)),
  password_hash text,
  access_epoch integer not null,
  created_at_ms integer not null,
  updated_at_ms integer not null
) strict;
create index shares_by_org on shares (org_uuid, created_at_ms, uuid);
create index shares_by_camera on shares (org_uuid, camera_uuid);
create index shares_by_schedule on shares (org_uuid, schedule_uuid);

create table stream_ledger (
  camera_uuid text not null,
  rendition text not null,
  next_media_sequence_number integer not null,
  next_discontinuity_sequence integer not null,
  init_fingerprint text,
  primary key (camera_uuid, rendition)
) strict;
`,
};
