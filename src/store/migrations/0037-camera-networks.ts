/** In which networks an organization's cameras may be: a JSON list of networks in CIDR notation; empty: in any. */

import type { Migration } from './migration.ts';

export const cameraNetworks: Migration = {
  version: 37,
  name: 'networks of cameras',
  sql: `
alter table organisations add column camera_networks text not null default '[]';
`,
};
