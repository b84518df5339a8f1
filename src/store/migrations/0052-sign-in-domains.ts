/** Domains of email addresses are of providers of either protocol. */

import type { Migration } from './migration.ts';

export const signInDomains: Migration = {
  version: 52,
  name: 'sign-in domains',
  sql: `
update resources set kind = 'signInDomain' where kind = 'samlDomain';
`,
};
