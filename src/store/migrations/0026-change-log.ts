/**
 * The log of changes, by which the gateways that share a PostgreSQL database learn what the others commit
 * (docs/design/store.md#changes-of-other-processes). A database in a file has one gateway and needs none.
 *
 * Triggers write it, so a row is in the log if and only if the change is committed, no matter which statement or program
 * made it. A transaction ID names the transaction of each row: a snapshot shows which transactions it includes.
 */

import type { Migration } from './migration.ts';

/** Kinds of resources that no other process follows, and that change with every request or attempt. */
const UNLOGGED_RESOURCES = `'idempotentRequest', 'webhookDelivery', 'deviceReport', 'clipJob'`;

/** Tables whose rows have a UUID and an organization. `of`: columns of which one is set whenever listeners are notified. */
const FOLLOWED: readonly { readonly table: string; readonly entity: string; readonly of?: string }[] = [
  { table: 'organisations', entity: 'organization' },
  { table: 'api_keys', entity: 'apiKey' },
  { table: 'locations', entity: 'location' },
  { table: 'nvrs', entity: 'nvr' },
  { table: 'cameras', entity: 'camera' },
  { table: 'shares', entity: 'share' },
  { table: 'schedules', entity: 'schedule' },
  { table: 'video_walls', entity: 'videoWall' },
  { table: 'wall_shares', entity: 'wallShare' },
  { table: 'people', entity: 'person', of: 'name' },
  { table: 'console_sessions', entity: 'consoleSession', of: 'person_uuid' },
  { table: 'passkeys', entity: 'passkey', of: 'name' },
  { table: 'oauth_applications', entity: 'oauthApplication' },
  { table: 'oauth_grants', entity: 'oauthGrant' },
];

const TRIGGERS = FOLLOWED.map(
  ({ table, entity, of }) => `
create trigger change_log after insert or delete or update${of === undefined ? '' : ` of ${of}`} on ${table}
  for each row execute function log_row_change('${entity}');`,
).join('');

export const changeLog: Migration = {
  version: 26,
  name: 'log of changes',
  sql: '',
  postgres: `
create table change_log (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  origin text collate "C" not null,
  entity text collate "C" not null,
  type text collate "C" not null,
  org_uuid text collate "C" not null,
  uuid text collate "C" not null,
  device_uuid text collate "C",
  fields json
);
create index change_log_by_xid on change_log (xid);

-- The newest row that was deleted because of its age.
create table change_log_pruned (
  is_only boolean primary key default true check (is_only),
  id bigint not null
);
insert into change_log_pruned (id) values (0);

create function log_change(entity text, type text, org_uuid text, uuid text, device_uuid text, fields json)
returns void language plpgsql set search_path from current as $$
declare
  origin text := coalesce(current_setting('sluice.origin', true), '');
begin
  insert into change_log (origin, entity, type, org_uuid, uuid, device_uuid, fields)
    values (origin, entity, type, org_uuid, uuid, device_uuid, fields);
  perform pg_notify('sluice_changes', origin);
end $$;

create function log_row_change() returns trigger language plpgsql set search_path from current as $$
declare
  kind text := tg_argv[0];
  type text := case tg_op when 'INSERT' then 'CREATE' else tg_op end;
  org_uuid text;
  device_uuid text;
  fields json;
  r record;
begin
  if tg_op = 'DELETE' then r := old; else r := new; end if;
  -- Listeners are told of the wall.
  if kind = 'wallShare' and tg_op = 'DELETE' then
    if not exists (select from video_walls w where w.uuid = r.wall_uuid) then return null; end if;
  end if;
  if kind = 'organization' then org_uuid := r.uuid; else org_uuid := r.org_uuid; end if;
  if kind = 'camera' then
    device_uuid := r.uuid;
    fields := json_build_object('name', r.name, 'locationUuid', r.location_uuid, 'nvrUuid', r.nvr_uuid);
  elsif kind = 'nvr' then
    device_uuid := r.uuid;
    fields := json_build_object('name', r.name, 'locationUuid', r.location_uuid);
  elsif kind = 'share' then
    device_uuid := r.camera_uuid;
    fields := json_build_object('name', r.name, 'streamType', r.stream_type, 'scheduleUuid', r.schedule_uuid,
      'expirationTimeSecs', r.expires_at_sec, 'passwordProtected', r.password_hash is not null);
  elsif kind = 'videoWall' then
    fields := json_build_object('name', r.name, 'cameras', json_array_length(r.cameras_json::json));
  elsif kind = 'wallShare' then
    fields := json_build_object('videoWallUuid', r.wall_uuid, 'scheduleUuid', r.schedule_uuid,
      'expirationTimeSecs', r.expires_at_sec, 'passwordProtected', r.password_hash is not null);
  elsif kind in ('location', 'schedule') then
    fields := json_build_object('name', r.name);
  end if;
  perform log_change(kind, type, org_uuid, r.uuid, device_uuid, fields);
  return null;
end $$;
${TRIGGERS}

create function log_resource_change() returns trigger language plpgsql set search_path from current as $$
declare
  r record;
begin
  if tg_op = 'DELETE' then r := old; else r := new; end if;
  if r.kind in (${UNLOGGED_RESOURCES}) then return null; end if;
  perform log_change(r.kind, case tg_op when 'INSERT' then 'CREATE' else tg_op end, r.org_uuid, r.uuid,
    r.parent_uuid, json_build_object('name', r.name));
  return null;
end $$;
create trigger change_log after insert or update or delete on resources
  for each row execute function log_resource_change();

-- A grant changes when one of its tokens is removed.
create function log_token_removal() returns trigger language plpgsql set search_path from current as $$
begin
  perform log_change('oauthGrant', 'UPDATE', g.org_uuid, g.uuid, null, null)
    from oauth_grants g where g.uuid = old.grant_uuid;
  return null;
end $$;
create trigger change_log after delete on oauth_tokens
  for each row execute function log_token_removal();

-- The note can contain what PostgreSQL does not read as JSON: the follower does.
create function log_acknowledgement() returns trigger language plpgsql set search_path from current as $$
begin
  perform log_change('alertAcknowledgement',
    case when old.acknowledgement_json is null then 'CREATE' else 'UPDATE' end,
    new.org_uuid, new.event_id, new.device_uuid, new.acknowledgement_json::json);
  return null;
end $$;
create trigger change_log after update of acknowledgement_json on events
  for each row when (new.acknowledgement_json is distinct from old.acknowledgement_json)
  execute function log_acknowledgement();

-- By the link: what is ended or blocked is read.
create function log_ended_view() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'DELETE' then
    perform log_change('endedView', 'UPDATE', old.org_uuid, old.link_uuid, null, null);
  else
    perform log_change('endedView', 'UPDATE', new.org_uuid, new.link_uuid, null, null);
  end if;
  return null;
end $$;
create trigger change_log after insert or update or delete on ended_views
  for each row execute function log_ended_view();
`,
};
