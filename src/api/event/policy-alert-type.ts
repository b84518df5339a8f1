/** The policy alert (docs/spec/rules.md#policy-alerts): as reported and as returned. */

import { type Static, Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { DEVICE_TYPES } from '../../devices/device-types.ts';
import type { PolicyAlertBody } from '../../events/policy-alerts.ts';
import {
  answeredFields,
  answeredFlags,
  type GivenFields,
  nullableFields,
  optionalFields,
} from '../../http/fields/field-groups.ts';
import {
  double,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { StoredEvent } from '../../store/event.ts';
import { META_DATA_LOCATION_SCHEMA } from '../clips/saved-clips.ts';
import { ACKNOWLEDGEMENT_SCHEMA, acknowledgementAnswer } from './acknowledgement-type.ts';
import type { ALERT_FOOTAGE_FIELDS } from './policy-alert-footage.ts';
import { MEASUREMENT_FIELDS } from './policy-alert-measurements.ts';
import { ANSWERED_RECORD_PROPERTIES, answeredRecords, type GivenRecords } from './policy-alert-records.ts';

const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_LOCATOR_LENGTH = 2_048;
const MAX_LIST_ENTRIES = 100;

const POLICY_ALERT_KINDS = ['POLICY_ALERT_V2', 'ACCESS_CONTROLLED_DOOR_POLICY_ALERT'] as const;
const PROMPT_TYPES = ['COUNT', 'PERCENT', 'BOOLEAN', 'TEXT'] as const;
const OPERATORS = ['GT', 'LT', 'LTE', 'GTE', 'EQ', 'CONTAINS'] as const;

const CHECK_CONDITION_SCHEMA = namedType('CheckCondition', {
  operator: Type.Optional(oneOf(OPERATORS, 'How to compare the value.')),
  value: Type.Optional(text('What to compare it with.')),
});

/** The status of an alert; false unless reported otherwise. */
export const ALERT_FLAG_FIELDS = {
  alertMonitoringVerified: flag('Whether alarm monitoring has verified it.'),
  archived: flag('Whether it was archived.'),
  delayedProcessing: flag('Whether it was processed late.'),
  deleted: flag('Whether it was deleted.'),
  finalized: flag('Whether it is complete.'),
  notificationSent: flag('Whether notifications were sent.'),
  saved: flag('Whether it was saved as a clip.'),
  shared: flag('Whether it was shared.'),
};

/** Everything that a report can say besides its identity and its nested records. */
export const ALERT_DETAIL_FIELDS = {
  type: oneOf(POLICY_ALERT_KINDS, 'The kind of alert.'),
  policyUuid: ruuid('The policy that raised it.'),
  locationUuid: ruuid('The location; if a report leaves it out, the camera’s location.'),
  componentUuid: ruuid('The component, such as a door.'),
  subLocationsHierarchyKey: text('RUUIDs of nested locations, separated by dots.', MAX_LOCATOR_LENGTH),
  deviceType: oneOf(DEVICE_TYPES, 'The device type.'),
  durationSec: int32('How long it lasted.'),
  textDescription: text('A description.', MAX_DESCRIPTION_LENGTH),
  alertMonitoringThreatCaseUuid: ruuid('The case of alarm monitoring.'),
  policyAlertTriggers: listOf(
    text('Activity, such as MOTION_HUMAN.'),
    'What triggered it.',
    MAX_LIST_ENTRIES,
  ),
  clipLocation: META_DATA_LOCATION_SCHEMA,
  clipLocationMap: mapOf(META_DATA_LOCATION_SCHEMA, 'Where the clips of several devices are stored.'),
  clipLocationMapV2: mapOf(
    text('Locator.', MAX_LOCATOR_LENGTH),
    'Where the clips of several devices are stored.',
  ),
  thumbnailLocation: META_DATA_LOCATION_SCHEMA,
  thumbnailLocationV2: text('Where the image is stored.', MAX_LOCATOR_LENGTH),
  egressBoundaryDevices: listOf(ruuid('Device.'), 'Devices at which objects leave.', MAX_LIST_ENTRIES),
  ingressBoundaryDevices: listOf(ruuid('Device.'), 'Devices at which objects enter.', MAX_LIST_ENTRIES),
  cd: text('Custom detection.'),
  cdn: text('Name of the custom detection.'),
  cllmBooleanValue: flag('The answer to the prompt.'),
  cllmIntegerValue: int32('The answer to the prompt.'),
  cllmCheckCondition: CHECK_CONDITION_SCHEMA,
  cllmPromptTypeEnum: oneOf(PROMPT_TYPES, 'What the prompt asks for.'),
  cllmPromptUuid: ruuid('The prompt.'),
  numHumans: double('People in the image.'),
  peopleCountHighThreshold: double('Alert above this many people.'),
  peopleCountLowThreshold: double('Alert below this many people.'),
  maxLuf: double('Highest loudness.'),
  leakDetected: flag('Whether a leak was detected.'),
  tampered: flag('Whether the device was tampered with.'),
  tempProbePresent: flag('Whether a temperature probe is connected.'),
  vapeDetected: flag('Whether vapor was detected.'),
  tamperByMovementChange: double('How much the device was moved.'),
  ...MEASUREMENT_FIELDS,
};

/** The fields of a report, as in its rows. */
export const REPORTED_ALERT_PROPERTIES = {
  ...optionalFields(ALERT_FLAG_FIELDS),
  ...optionalFields(ALERT_DETAIL_FIELDS),
};

/** An alert with everything that a report can say about it. */
export type KnownAlertBody = PolicyAlertBody &
  GivenFields<typeof ALERT_FLAG_FIELDS> &
  GivenFields<typeof ALERT_DETAIL_FIELDS> &
  GivenRecords &
  GivenFields<typeof ALERT_FOOTAGE_FIELDS>;

export const POLICY_ALERT_SCHEMA = namedType('PolicyAlert', {
  uuid: ruuid('The alert.'),
  orgUuid: ruuid('The organization.'),
  deviceUuid: ruuid('The device that raised it.'),
  timestampMs: int64('When it was raised, in epoch milliseconds.'),
  acknowledgement: nullable(ACKNOWLEDGEMENT_SCHEMA),
  ...ALERT_FLAG_FIELDS,
  ...nullableFields(ALERT_DETAIL_FIELDS),
  ...ANSWERED_RECORD_PROPERTIES,
});

export function policyAlertAnswer(event: StoredEvent): Static<typeof POLICY_ALERT_SCHEMA> {
  const body = event.body as KnownAlertBody;
  return {
    uuid: event.id as Ruuid,
    orgUuid: event.orgUuid,
    deviceUuid: event.deviceUuid,
    timestampMs: event.atMs,
    acknowledgement:
      event.acknowledgement === undefined ? null : acknowledgementAnswer(event.acknowledgement),
    ...answeredFlags(ALERT_FLAG_FIELDS, body),
    ...answeredFields(ALERT_DETAIL_FIELDS, body),
    ...answeredRecords(body),
  };
}
