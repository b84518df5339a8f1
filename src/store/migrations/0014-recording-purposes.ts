/** The purpose of each recording file (docs/design/recording.md#retention). */

import type { Migration } from './migration.ts';

export const recordingPurposes: Migration = {
  version: 14,
  name: 'recording purposes',
  sql: `
alter table recordings add column purpose text not null default 'camera';
create index recordings_by_purpose on recordings (camera_uuid, rendition, purpose, number);
drop index recordings_by_time;
create index recordings_by_time on recordings (start_ms, camera_uuid, rendition, number, purpose, end_ms, byte_length);
`,
};
