/** An index for shares that expired a while ago: they are removed (docs/design/access.md#expired-links). */

import type { Migration } from './migration.ts';

export const expiredShares: Migration = {
  version: 35,
  name: 'index of expirations',
  sql: `
create index shares_by_expiration on shares (org_uuid, expires_at_sec) where expires_at_sec is not null;
`,
};
