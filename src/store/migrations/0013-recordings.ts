/**
 * Recording files (docs/design/recording.md#the-catalog): a row per file, which contains the index of its segments. The
 * index by time has every column that retention reads, so that it does not touch the rows.
 */

import type { Migration } from './migration.ts';

export const recordings: Migration = {
  version: 13,
  name: 'recordings',
  sql: `
create table recordings (
  camera_uuid text not null,
  rendition text not null,
  number integer not null,
  start_ms integer not null,
  end_ms integer not null,
  byte_length integer not null,
  segments_json text not null,
  primary key (camera_uuid, rendition, number)
) strict;
create index recordings_by_stream on recordings (camera_uuid, rendition, start_ms, end_ms, number, byte_length);
create index recordings_by_time on recordings (start_ms, camera_uuid, rendition, number, end_ms, byte_length);
`,
};
