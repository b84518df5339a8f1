/**
 * Numbers of recording files in a cluster: where the next ones of a stream begin, and which run of a node has which
 * (docs/design/recording.md#many-nodes). The first never goes back.
 */

import type { Migration } from './migration.ts';

export const recordingBlocks: Migration = {
  version: 29,
  name: 'numbers of recording files in a cluster',
  sql: `
create table recording_numbers (
  camera_uuid text not null,
  rendition text not null,
  next_number integer not null,
  primary key (camera_uuid, rendition)
) strict;

create table recording_blocks (
  camera_uuid text not null,
  rendition text not null,
  end_number integer not null,
  first_number integer not null,
  node_id text not null,
  run_id text not null,
  primary key (camera_uuid, rendition, end_number)
) strict;
`,
};
