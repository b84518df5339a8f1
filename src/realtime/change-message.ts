/** What the real-time stream says: one message for each thing that changed. */

import type { Ruuid } from '../core/ruuid.ts';

/** What changes are told of. */
export const CHANGE_ENTITIES = [
  'SHARED_LIVE_VIDEO_STREAM',
  'VIEWER',
  'CAMERA',
  'NVR',
  'LOCATION',
  'SCHEDULE',
  'SAVED_CLIP',
  'POLICY_ALERT',
  'COMPONENT_EVENT',
  'ACCESS_CONTROLLED_DOOR',
  'LOCKDOWN_RULE',
] as const;

export type ChangeEntity = (typeof CHANGE_ENTITIES)[number];

/** Some fields of the thing as they are now; names as in the API's answers where it has them. */
export type ChangeUpdate = Readonly<Record<string, string | number | boolean | null>>;

export interface ChangeMessage {
  readonly entity: ChangeEntity;
  /** A UUID, or for reports of devices the id that the reporter gave. */
  readonly entityUuid: string;
  readonly type: 'CREATE' | 'UPDATE' | 'DELETE';
  /** The camera, NVR or controller that it belongs to; null where there is none. */
  readonly deviceUuid: Ruuid | null;
  /** null: nothing is told but that it changed. */
  readonly update: ChangeUpdate | null;
}

const TOPIC_PREFIX = '/topic/change/';

/** The destination of an organisation's changes. */
export function changeTopicOf(orgUuid: Ruuid): string {
  return TOPIC_PREFIX + orgUuid;
}
