/** The renditions between which players change. */

import type { RenditionName } from '../stream/media/live-media.ts';

interface OtherName {
  readonly name: RenditionName;
  /** Where its playlists are, relative to this one's folder. */
  readonly folder: 'sub/' | '../';
}

/** How the playlists of a rendition report on the other one. */
export const OTHER_RENDITIONS: Readonly<Partial<Record<RenditionName, OtherName>>> = {
  main: { name: 'sub', folder: 'sub/' },
  sub: { name: 'main', folder: '../' },
  'main-silent': { name: 'sub-silent', folder: 'sub/' },
  'sub-silent': { name: 'main-silent', folder: '../' },
};
