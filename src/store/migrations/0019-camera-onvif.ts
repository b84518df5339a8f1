/** Where a camera's ONVIF service is. */

import type { Migration } from './migration.ts';

export const cameraOnvif: Migration = {
  version: 19,
  name: 'ONVIF services of cameras',
  sql: `
alter table cameras add column onvif_url_encrypted text;
`,
};
