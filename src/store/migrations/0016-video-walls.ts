/** Video walls and their shares. Removing a wall removes its shares, so that no share is left without its wall. */

import type { Migration } from './migration.ts';

export const videoWalls: Migration = {
  version: 16,
  name: 'video walls',
  sql: `
create table video_walls (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  name text not null,
  cameras_json text not null,
  owner_user_uuid text,
  others_can_edit integer not null check (others_can_edit in (0, 1)),
  is_shared integer not null check (is_shared in (0, 1)),
  settings_json text not null,
  created_at_ms integer not null,
  updated_at_ms integer not null,
  unique (org_uuid, uuid)
) strict;
create index video_walls_by_org on video_walls (org_uuid, created_at_ms, uuid);

create table wall_shares (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  wall_uuid text not null,
  vod_enabled integer not null check (vod_enabled in (0, 1)),
  expires_at_sec integer,
  schedule_uuid text,
  invert_schedule integer not null check (invert_schedule in (0, 1)),
  unscheduled_message text,
  device_schedules_json text not null,
  password_hash text,
  access_epoch integer not null,
  created_at_ms integer not null,
  updated_at_ms integer not null,
  foreign key (org_uuid, wall_uuid) references video_walls (org_uuid, uuid) on delete cascade
) strict;
create index wall_shares_by_org on wall_shares (org_uuid, created_at_ms, uuid);
create index wall_shares_by_wall on wall_shares (org_uuid, wall_uuid, created_at_ms, uuid);
`,
};
