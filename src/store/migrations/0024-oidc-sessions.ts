/** Sessions that began at the OIDC provider. Ways to sign in are not listed in the table of sessions. */

import type { Migration } from './migration.ts';

export const oidcSessions: Migration = {
  version: 24,
  name: 'OIDC sessions',
  sql: `
alter table console_sessions add column begun_by text not null default 'password';
update console_sessions set begun_by = method;
alter table console_sessions drop column method;
alter table console_sessions rename column begun_by to method;
`,
};
