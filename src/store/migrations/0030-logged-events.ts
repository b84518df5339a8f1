/**
 * Alerts and component events in the log of changes (0026-change-log.ts): clients of the real-time stream hear of them at
 * whichever gateway they are.
 */

import type { Migration } from './migration.ts';

export const loggedEvents: Migration = {
  version: 30,
  name: 'events in the log of changes',
  sql: '',
  postgres: `
-- The body can contain what PostgreSQL does not read as JSON: the follower does (event-announcement.ts).
create function log_event() returns trigger language plpgsql set search_path from current as $$
declare
  fields json := json_build_object('atMs', new.at_ms);
begin
  if tg_op = 'UPDATE' then
    fields := json_build_object('atMs', new.at_ms, 'body', new.body_json::json, 'before', old.body_json::json);
  elsif new.kind = 'policyAlert' then
    fields := json_build_object('atMs', new.at_ms, 'body', new.body_json::json);
  end if;
  perform log_change(new.kind, case tg_op when 'INSERT' then 'CREATE' else tg_op end, new.org_uuid, new.event_id,
    new.device_uuid, fields);
  return null;
end $$;
create trigger change_log_of_added after insert on events
  for each row when (new.kind in ('policyAlert', 'componentEvent')) execute function log_event();
create trigger change_log_of_amended after update of body_json on events
  for each row when (new.kind = 'policyAlert' and new.body_json is distinct from old.body_json)
  execute function log_event();
`,
};
