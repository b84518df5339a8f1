/** The messages of the real-time stream: one for each change. */

import type { Ruuid } from '../core/ruuid.ts';
import type { ChangeDetails } from '../store/store.ts';

/** The kinds of things whose changes are published, by the names that consumers of the API family know. */
const FAMILY_ENTITIES = [
  'SHARED_STREAMS',
  'CAMERA',
  'NVR',
  'LOCATION',
  'SCHEDULE',
  'SAVED_CLIPS',
  'SHARED_CLIPS',
  'TIMELAPSE',
  'SEEK_POINT',
  'VIDEO_WALL',
  'POLICY_ALERT',
  'ACCESS_CONTROLLED_DOOR',
] as const;

/** Kinds that the family has no name for. */
const OWN_ENTITIES = [
  'VIEWER',
  'COMPONENT_EVENT',
  'LOCKDOWN_RULE',
  'ALERT_ACKNOWLEDGEMENT',
  'ALERT_TAKING',
  'GATEWAY_SETTINGS',
  'PEOPLE',
  'EVIDENCE_CASE',
  'LEGAL_HOLD',
  'EMERGENCY',
] as const;

export const CHANGE_ENTITIES = [...FAMILY_ENTITIES, ...OWN_ENTITIES] as const;

export type ChangeEntity = (typeof CHANGE_ENTITIES)[number];

/** Some of the thing's current fields, with the names that API responses use where they have them. */
export type ChangeUpdate = ChangeDetails['fields'];

export interface ChangeMessage {
  readonly entity: ChangeEntity;
  /** A UUID, or for device reports the ID that the reporter gave. */
  readonly entityUuid: string;
  readonly type: 'CREATE' | 'UPDATE' | 'DELETE';
  /** The camera, NVR or controller that it belongs to; null if there is none. */
  readonly deviceUuid: Ruuid | null;
  /** null: the message contains only the fact of the change. */
  readonly update: ChangeUpdate | null;
}

const TOPIC_PREFIX = '/topic/change/';

/** The destination of an organization's changes. */
export function changeTopicOf(orgUuid: Ruuid): string {
  return TOPIC_PREFIX + orgUuid;
}
