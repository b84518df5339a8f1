/** How the cameras of a video wall share the screen. Walls that exist fit all of theirs, as before. */

import type { Migration } from './migration.ts';

export const wallLayouts: Migration = {
  version: 41,
  name: 'layouts of video walls',
  sql: `
alter table video_walls add column layout_json text not null default '{"kind":"AUTOMATIC","cells":[],"tourSec":0}';
`,
};
