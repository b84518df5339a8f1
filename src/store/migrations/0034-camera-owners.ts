/**
 * The organizations of the cameras that recordings are of: a full disk takes from the organization that uses most
 * (docs/design/recording.md#retention). Rows outlive their cameras as long as there are recordings.
 */

import type { Migration } from './migration.ts';

export const cameraOwners: Migration = {
  version: 34,
  name: 'owners of cameras',
  sql: `
create table camera_owners (
  camera_uuid text primary key,
  org_uuid text not null
) strict, without rowid;
insert into camera_owners (camera_uuid, org_uuid) select uuid, org_uuid from cameras;
`,
  sqlite: `
create trigger owner_of_added_camera after insert on cameras begin
  insert into camera_owners (camera_uuid, org_uuid) values (new.uuid, new.org_uuid) on conflict do nothing;
end;
create trigger owner_of_removed_camera after delete on cameras
when not exists (select 1 from recordings where camera_uuid = old.uuid) begin
  delete from camera_owners where camera_uuid = old.uuid;
end;
`,
  postgres: `
create function note_camera_owner() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'INSERT' then
    insert into camera_owners (camera_uuid, org_uuid) values (new.uuid, new.org_uuid) on conflict do nothing;
  elsif not exists (select 1 from recordings where camera_uuid = old.uuid) then
    delete from camera_owners where camera_uuid = old.uuid;
  end if;
  return null;
end $$;
create trigger owner_of_camera after insert or delete on cameras
  for each row execute function note_camera_owner();
`,
};
