/**
 * People, their console sessions, and the roles that limit them and API keys. Keys that exist keep all rights. Removing a
 * person removes their sessions, so that none is left without its person.
 */

import type { Migration } from './migration.ts';

export const people: Migration = {
  version: 20,
  name: 'people, console sessions and roles',
  sql: `
create table people (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  name text not null,
  email text,
  email_key text,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  password_hash text,
  disabled integer not null check (disabled in (0, 1)),
  created_at_ms integer not null,
  last_sign_in_at_ms integer,
  unique (org_uuid, uuid),
  unique (org_uuid, email_key)
) strict;
create index people_by_org on people (org_uuid, created_at_ms, uuid);
create index people_by_email on people (email_key, created_at_ms, uuid);

create table console_sessions (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  person_uuid text not null,
  token_hash text not null unique,
  method text not null check (method in ('code', 'invitation', 'password')),
  address text not null,
  user_agent text,
  created_at_ms integer not null,
  last_seen_at_ms integer not null,
  foreign key (org_uuid, person_uuid) references people (org_uuid, uuid) on delete cascade
) strict;
create index console_sessions_by_org on console_sessions (org_uuid, created_at_ms, uuid);
create index console_sessions_by_person on console_sessions (org_uuid, person_uuid, created_at_ms, uuid);

alter table api_keys add column role text not null default 'admin' check (role in ('viewer', 'operator', 'admin'));
`,
};
