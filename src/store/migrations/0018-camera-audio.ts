/** How a camera's audio reaches viewers. */

import type { Migration } from './migration.ts';

export const cameraAudio: Migration = {
  version: 18,
  name: 'audio of cameras',
  sql: `
alter table cameras add column audio text not null default 'auto';
`,
};
