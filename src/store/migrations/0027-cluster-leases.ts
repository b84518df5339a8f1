/**
 * Cameras' owners in a cluster, by fence, and the nodes whose leases hold although they cannot reach Redis
 * (docs/design/cluster.md). A camera's row stays when it has no owner, so its fence never goes back.
 */

import type { Migration } from './migration.ts';

export const clusterLeases: Migration = {
  version: 27,
  name: 'leases of a cluster',
  sql: `
create table cluster_leases (
  camera_uuid text primary key,
  fence integer not null,
  node_id text,
  run_id text
) strict;
create index cluster_leases_by_run on cluster_leases (run_id);

create table cluster_reliances (
  run_id text primary key,
  node_id text not null,
  address text not null,
  beat integer not null
) strict;
`,
};
