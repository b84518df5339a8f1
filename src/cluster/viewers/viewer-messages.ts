/** Messages between nodes about viewers (docs/design/mirrors.md#viewers). */

import type { Ruuid } from '../../core/ruuid.ts';

export const VIEWERS = {
  /** ViewerWord. */
  said: 'viewers.said',
  complete: 'viewers.complete',
} as const;

/** The media that an audience watches. */
export interface AudienceMedia {
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  /** The share that people opened, or the share of its wall. null: these viewers cause no notices, they are only counted. */
  readonly linkUuid: Ruuid | null;
}

/** An audience and one of its viewers; null: the viewer is not at this node, or no longer. */
export type ViewerWord = readonly [audienceUuid: Ruuid, viewerId: string, media: AudienceMedia | null];

/** Both in one string, to find the viewer by. */
export type ViewerKey = `${Ruuid} ${string}`;

export function viewerKey(audienceUuid: Ruuid, viewerId: string): ViewerKey {
  return `${audienceUuid} ${viewerId}`;
}

export function splitKey(key: ViewerKey): [audienceUuid: Ruuid, viewerId: string] {
  const at = key.indexOf(' ');
  return [key.slice(0, at) as Ruuid, key.slice(at + 1)];
}
