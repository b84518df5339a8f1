/** Who has taken an alert (event.ts), acknowledgements that are undone, and an index of the alerts that no one has acknowledged. */

import type { Migration } from './migration.ts';

export const takenAlerts: Migration = {
  version: 43,
  name: 'taken and reopened alerts',
  sql: `
alter table events add column taken_json text;
create index open_alerts on events (org_uuid, at_ms, event_id)
  where kind = 'policyAlert' and acknowledgement_json is null;
`,
  postgres: `
-- The last state names who undid it, and the device, by which limited listeners are chosen.
create or replace function log_acknowledgement() returns trigger language plpgsql set search_path from current as $$
begin
  perform log_change('alertAcknowledgement',
    case when old.acknowledgement_json is null then 'CREATE'
      when new.acknowledgement_json is null then 'DELETE' else 'UPDATE' end,
    new.org_uuid, new.event_id, new.device_uuid,
    coalesce(new.acknowledgement_json, old.acknowledgement_json)::json);
  return null;
end $$;

create function log_taking() returns trigger language plpgsql set search_path from current as $$
begin
  perform log_change('alertTaking',
    case when old.taken_json is null then 'CREATE' when new.taken_json is null then 'DELETE' else 'UPDATE' end,
    new.org_uuid, new.event_id, new.device_uuid, coalesce(new.taken_json, old.taken_json)::json);
  return null;
end $$;
create trigger change_log_taking after update of taken_json on events
  for each row when (new.taken_json is distinct from old.taken_json)
  execute function log_taking();
`,
};
