/** Times of cameras whose recordings no one may delete (recording-hold.ts). */

import type { Migration } from './migration.ts';

export const recordingHolds: Migration = {
  version: 46,
  name: 'legal holds on recordings',
  sql: `
create table recording_holds (
  uuid text primary key,
  org_uuid text not null,
  camera_uuid text not null,
  start_ms integer not null,
  end_ms integer not null
) strict;
create index recording_holds_by_camera on recording_holds (camera_uuid, start_ms, end_ms);
`,
};
