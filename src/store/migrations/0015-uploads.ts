/** Clips that recorders hand over (docs/design/upload.md). */

import type { Migration } from './migration.ts';

export const uploads: Migration = {
  version: 15,
  name: 'uploads',
  sql: `
create table uploads (
  uuid text not null primary key,
  org_uuid text not null,
  key_uuid text not null,
  camera_uuid text not null,
  clip_id text not null,
  title text not null,
  file_type text not null,
  sha256 text,
  start_ms integer not null,
  byte_length integer not null,
  synced_bytes integer not null,
  state text not null,
  refusal text,
  recording_number integer,
  duration_ms integer,
  created_at_ms integer not null,
  updated_at_ms integer not null
) strict;
create index uploads_by_state on uploads (state, updated_at_ms);
`,
};
