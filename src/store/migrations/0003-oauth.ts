/** The tables of OAuth applications, grants and tokens (oauth.ts). Removing an application also removes its grants. */

import type { Migration } from './migration.ts';

export const oauth: Migration = {
  version: 3,
  name: 'oauth',
  sql: `
create table oauth_applications (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  name text not null,
  description text,
  contact_email text,
  redirect_uri text not null,
  secret_hash text not null,
  created_at_ms integer not null,
  updated_at_ms integer not null
) strict;
create index oauth_applications_by_org on oauth_applications (org_uuid, created_at_ms, uuid);

create table oauth_grants (
  uuid text primary key,
  org_uuid text not null references organisations (uuid),
  client_uuid text not null references oauth_applications (uuid) on delete cascade,
  key_uuid text not null references api_keys (uuid) on delete cascade,
  key_org_uuid text not null,
  code_challenge text not null,
  redirect_uri text,
  created_at_ms integer not null
) strict;
create index oauth_grants_by_org on oauth_grants (org_uuid, created_at_ms, uuid);
create index oauth_grants_by_client on oauth_grants (client_uuid);
create index oauth_grants_by_key on oauth_grants (key_uuid);

create table oauth_tokens (
  token_hash text primary key,
  grant_uuid text not null references oauth_grants (uuid) on delete cascade,
  kind text not null,
  expires_at_ms integer not null,
  used_at_ms integer,
  successor_hash text
) strict;
create index oauth_tokens_by_grant on oauth_tokens (grant_uuid);
create index oauth_tokens_by_expiry on oauth_tokens (expires_at_ms);
`,
};
