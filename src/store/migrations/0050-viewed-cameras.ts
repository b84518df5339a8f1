/** The camera of a view by a link, which stays known after the link is deleted. */

import type { Migration } from './migration.ts';

export const viewedCameras: Migration = {
  version: 50,
  name: 'viewed cameras',
  sql: `
alter table audit_events add column device_uuid text;
`,
};
