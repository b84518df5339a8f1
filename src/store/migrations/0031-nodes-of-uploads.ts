/** The node of a cluster that has the bytes of an upload (docs/design/upload.md#nodes-of-a-cluster). */

import type { Migration } from './migration.ts';

export const nodesOfUploads: Migration = {
  version: 31,
  name: 'nodes of uploads',
  sql: `
alter table uploads add column node_id text not null default '';
`,
};
