/**
 * The session of the OIDC provider under which a console session began, so that a logout there can end it. It is not known for
 * earlier console sessions: they end, and their people sign in again.
 */

import type { Migration } from './migration.ts';

export const providerSignIns: Migration = {
  version: 24,
  name: 'sign-ins at the provider',
  sql: `
delete from console_sessions where method = 'oidc';
alter table console_sessions add column provider_subject_uuid text;
alter table console_sessions add column provider_session_uuid text;
alter table console_sessions add column provider_issued_at_sec integer;
create index console_sessions_by_subject on console_sessions (org_uuid, provider_subject_uuid);
create index console_sessions_by_provider_session on console_sessions (org_uuid, provider_session_uuid);
`,
};
