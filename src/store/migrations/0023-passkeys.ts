/**
 * Passkeys of people, challenges that wait for a response, and when the person of a session last showed who they are.
 * Ways to sign in are no longer listed in the table of sessions, so that a further one needs no new table.
 */

import type { Migration } from './migration.ts';

export const passkeys: Migration = {
  version: 23,
  name: 'passkeys',
  sql: `
create table passkeys (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  person_uuid text not null,
  name text not null,
  rp_id text not null,
  credential_id text not null unique,
  public_key text not null,
  counter integer not null,
  transports_json text not null,
  synced integer not null check (synced in (0, 1)),
  backed_up integer not null check (backed_up in (0, 1)),
  created_at_ms integer not null,
  last_used_at_ms integer,
  foreign key (org_uuid, person_uuid) references people (org_uuid, uuid) on delete cascade
) strict;
create index passkeys_by_org on passkeys (org_uuid, created_at_ms, uuid);
create index passkeys_by_person on passkeys (org_uuid, person_uuid, created_at_ms, uuid);

create table passkey_challenges (
  challenge_hash text primary key,
  browser_hash text not null,
  address text not null,
  purpose text not null,
  subject_uuid text,
  expires_at_ms integer not null
) strict;
create index passkey_challenges_by_end on passkey_challenges (expires_at_ms, challenge_hash);
create index passkey_challenges_by_address on passkey_challenges (address, expires_at_ms, challenge_hash);

alter table console_sessions add column sign_in_method text not null default 'password';
update console_sessions set sign_in_method = method;
alter table console_sessions drop column method;
alter table console_sessions rename column sign_in_method to method;
alter table console_sessions add column confirmed_at_ms integer not null default 0;
update console_sessions set confirmed_at_ms = created_at_ms;
`,
};
