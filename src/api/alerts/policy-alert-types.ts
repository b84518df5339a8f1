/** Policy alerts as reported and as returned (docs/spec/rules.md#policy-alerts). */

import { type Static, type TProperties, type TUnsafe, Type } from 'typebox';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { DEVICE_TYPES } from '../../devices/device-types.ts';
import type { PolicyAlertBody } from '../../events/policy-alerts.ts';
import {
  type GivenFields,
  nullableFields,
  optionalFields,
  type ResponseFields,
  responseFields,
  responseFlags,
} from '../../http/fields/field-groups.ts';
import {
  deviceUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { Acknowledgement, StoredEvent, Taking } from '../../store/event.ts';
import { META_DATA_LOCATION_SCHEMA } from '../clips/saved-clips.ts';
import {
  BOUNDING_BOX_FIELDS,
  givenRecords,
  responseRecordList,
  SEEK_POINT_FIELDS,
} from '../types/detection-type.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

/** The person who handles an alert: a field specific to Sluice, next to those of the API family. */
export const ACKNOWLEDGEMENT_SCHEMA = namedType('PolicyAlertAcknowledgement', {
  timestampMs: int64('When, in epoch milliseconds.'),
  actorUuid: ruuid('The person or the API key.'),
  actorName: plainText('Their name at that time.'),
  note: plainText('What was found or done; empty: no note.'),
});

export function acknowledgementResponse({
  atMs,
  ...who
}: Acknowledgement): Static<typeof ACKNOWLEDGEMENT_SCHEMA> {
  return { timestampMs: atMs, ...who };
}

export const TAKING_SCHEMA = namedType('PolicyAlertTaking', {
  timestampMs: int64('When, in epoch milliseconds.'),
  actorUuid: ruuid('The person or the API key.'),
  actorName: plainText('Their name at that time.'),
});

export function takingResponse({ atMs, ...who }: Taking): Static<typeof TAKING_SCHEMA> {
  return { timestampMs: atMs, ...who };
}

/** Each has a threshold with the same name and the ending `Threshold`. */
const MEASUREMENTS = [
  'airQualityIndex',
  'ch2oPpb',
  'co2',
  'co2Ppm',
  'coConcentration',
  'ethanol',
  'heatIndexDegF',
  'humidityPercent1616',
  'humidityPermyriad',
  'iaq',
  'noxIdx',
  'pm1p0',
  'pm4p0',
  'pm10p0',
  'pm25',
  'pressure',
  'probeTempC',
  'relHumid',
  'tempC',
  'temperatureCelsius1616',
  'temperaturePermyriad',
  'thcPercent',
  'tvoc',
  'vapeSmokePercent',
  'vocIdx',
] as const;

/** Spelled differently from the rule. */
const FURTHER_THRESHOLDS = [
  'humidityPercentThreshold1616',
  'temperatureCelsiusThreshold1616',
  'humidityThresholdPermyriad',
  'temperatureThresholdPermyriad',
  'probeTempThreshold',
] as const;

type Measurement = (typeof MEASUREMENTS)[number];
type MeasurementField = Measurement | `${Measurement}Threshold` | (typeof FURTHER_THRESHOLDS)[number];

/**
 * Sensors' measurements when an alert was raised, and the thresholds that were crossed (docs/spec/rules.md#policy-alerts).
 */
const MEASUREMENT_FIELDS = measurementFields();

function measurementFields(): { [K in MeasurementField]: TUnsafe<number> } {
  const fields: Record<string, TUnsafe<number>> = {};
  for (const name of MEASUREMENTS) {
    fields[name] = double(`Measured \`${name}\`.`);
    fields[`${name}Threshold`] = double(`Threshold of \`${name}\`.`);
  }
  for (const name of FURTHER_THRESHOLDS) fields[name] = double('Threshold, in another spelling.');
  return fields as { [K in MeasurementField]: TUnsafe<number> };
}

// A policy alert returns its footage only with its details.

const CLIENT_TYPES = [
  'PARTNER_DEVELOPER',
  'DEVELOPER',
  'INTERNAL_SALESFORCE',
  'TVOS',
  'KIOSK',
  'KEYPAD',
  'SQUARE',
  'BADGE_VENDOR_B',
  'OPENPATH',
  'POINT_OF_SALE',
  'BADGE_VENDOR_C',
  'EXECUTABLE',
  'HALO',
  'SALTO',
  'BUTTERFLYMX',
  'BADGE_VENDOR_A',
  'PRODATAKEY',
  'ENVOY',
  'ALARM_VENDOR',
  'PIMLOC',
  'PLACEOS',
  'OMNIALERT',
  'FLIC',
  'NINEONEONECELLULAR',
  'CHATBOT',
  'UNKNOWN',
] as const;

const boxes = givenRecords('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.');
const seekPoints = givenRecords('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.');

/** As in the rows of a report. */
export const ALERT_FOOTAGE_FIELDS = {
  clientType: oneOf(CLIENT_TYPES, 'The kind of client that raised it.'),
  thirdPartyDeviceName: text('Name of a third-party device.'),
  boundingBoxes: boxes,
  boundingBoxesMap: mapOf(boxes, 'Boxes, by device.'),
  seekPoints,
  seekPointsMap: mapOf(seekPoints, 'Points in time, by device.'),
  componentCompositeSeekPointsMap: mapOf(seekPoints, 'Points in time, by component.'),
};

/** Limit for each nested list. */
const MAX_NESTED_RECORDS = 100;
const MAX_LABELS = 100;
const MAX_LOCATOR_LENGTH = 2_048;

const labels = (description: string) => listOf(text('Label.'), description, MAX_LABELS);

const IMAGE_FIELDS = {
  imageS3Bucket: text('Bucket of the image.'),
  imageS3Key: text('Key of the image.', MAX_LOCATOR_LENGTH),
  imageS3Region: text('Region of the bucket.'),
};

const DWELL_EVENT_FIELDS = {
  deviceUuid: deviceUuid('The device.'),
  orgUuid: ruuid('The organization.'),
  locationUuid: ruuid('The location.'),
  regionUuid: ruuid('The region of the image.'),
  subLocationsHierarchyKey: text('RUUIDs of nested locations, separated by dots.', MAX_LOCATOR_LENGTH),
  deviceLabels: labels('Labels of the device.'),
  locationLabels: labels('Labels of the location.'),
  dwellStartTimeMs: int64('When dwelling began, in epoch milliseconds.'),
  durationSec: int32('How long it lasted.'),
  timestampMs: int64('When it was noticed, in epoch milliseconds.'),
  trackId: int64('The ID that the device tracks the object by.'),
  thumbnailLocation: text('Where the image is stored.', MAX_LOCATOR_LENGTH),
  thumbnailUri: text('Address of the image.', MAX_LOCATOR_LENGTH),
};

const FACE_FIELDS = {
  faceId: text('The face.'),
  faceName: text('Its name.'),
  personUuid: ruuid('The person.'),
  labels: labels('Labels of the person.'),
  ...IMAGE_FIELDS,
};

const VEHICLE_FIELDS = {
  licensePlateNumber: text('Its license plate.'),
  vehicleName: text('Its name.'),
  labels: labels('Labels of the vehicle.'),
  ...IMAGE_FIELDS,
};

const RECORDS = {
  alertingDwellEvents: {
    title: 'DwellEvent',
    fields: DWELL_EVENT_FIELDS,
    description: 'Dwell events that raised the alert.',
  },
  alertingEventFaces: {
    title: 'PolicyEventFace',
    fields: FACE_FIELDS,
    description: 'Faces that raised the alert.',
  },
  alertingEventVehicles: {
    title: 'PolicyEventVehicle',
    fields: VEHICLE_FIELDS,
    description: 'Vehicles that raised the alert.',
  },
} as const;

type RecordName = keyof typeof RECORDS;
type FieldsOf<K extends RecordName> = (typeof RECORDS)[K]['fields'];

type GivenRecords = { readonly [K in RecordName]?: readonly GivenFields<FieldsOf<K>>[] };
type ResponseRecords = { [K in RecordName]: ResponseFields<FieldsOf<K>>[] };

function givenList<K extends RecordName>(name: K) {
  const { title, fields, description } = RECORDS[name];
  const list = givenRecords<TProperties>(title, fields, description, MAX_NESTED_RECORDS);
  return Type.Optional(Type.Unsafe<GivenFields<FieldsOf<K>>[]>(list));
}

function responseList<K extends RecordName>(name: K) {
  const { title, fields, description } = RECORDS[name];
  return Type.Unsafe<ResponseFields<FieldsOf<K>>[]>(
    responseRecordList<TProperties>(title, fields, description),
  );
}

/** As in the rows of a report. */
export const GIVEN_RECORD_PROPERTIES = {
  alertingDwellEvents: givenList('alertingDwellEvents'),
  alertingEventFaces: givenList('alertingEventFaces'),
  alertingEventVehicles: givenList('alertingEventVehicles'),
};

/** As in responses. */
export const RESPONSE_RECORD_PROPERTIES = {
  alertingDwellEvents: responseList('alertingDwellEvents'),
  alertingEventFaces: responseList('alertingEventFaces'),
  alertingEventVehicles: responseList('alertingEventVehicles'),
};

function responseRecords(given: GivenRecords): ResponseRecords {
  return {
    alertingDwellEvents: responseEach('alertingDwellEvents', given),
    alertingEventFaces: responseEach('alertingEventFaces', given),
    alertingEventVehicles: responseEach('alertingEventVehicles', given),
  };
}

function responseEach<K extends RecordName>(name: K, given: GivenRecords): ResponseRecords[K] {
  const records: readonly GivenFields<FieldsOf<K>>[] = given[name] ?? [];
  return records.map((record) =>
    responseFields(RECORDS[name].fields as FieldsOf<K>, record),
  ) as ResponseRecords[K];
}

const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_LIST_ENTRIES = 100;

const POLICY_ALERT_KINDS = ['POLICY_ALERT_V2', 'ACCESS_CONTROLLED_DOOR_POLICY_ALERT'] as const;
const PROMPT_TYPES = ['COUNT', 'PERCENT', 'BOOLEAN', 'TEXT'] as const;
const OPERATORS = ['GT', 'LT', 'LTE', 'GTE', 'EQ', 'CONTAINS'] as const;

const CHECK_CONDITION_SCHEMA = namedType('CheckCondition', {
  operator: Type.Optional(oneOf(OPERATORS, 'How to compare the value.')),
  value: Type.Optional(text('What to compare it with.')),
});

/** The status of an alert; false unless reported otherwise. */
const ALERT_FLAG_FIELDS = {
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
const ALERT_DETAIL_FIELDS = {
  type: oneOf(POLICY_ALERT_KINDS, 'The kind of alert.'),
  policyUuid: ruuid('The policy that raised it.'),
  locationUuid: ruuid('The location; if a report leaves it out, the camera’s location.'),
  componentUuid: ruuid('The component, such as a door.'),
  subLocationsHierarchyKey: text('RUUIDs of nested locations, separated by dots.', MAX_LOCATOR_LENGTH),
  deviceType: oneOf(DEVICE_TYPES, 'The device type.'),
  durationSec: int32('How long it lasted.'),
  textDescription: text('A description.', MAX_DESCRIPTION_LENGTH),
  alarmValidationLevel: int32(
    'The level of ANSI/TMA-AVS-01, as the analytics or the operator found it: 0, no call for service; 1, limited or no information; 2, people are there; 3, they seem to threaten property; 4, they seem to threaten life. Specific to Sluice.',
    0,
    4,
  ),
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

/** The policy alert (docs/spec/rules.md#policy-alerts): as reported and as returned. */
export const POLICY_ALERT_SCHEMA = namedType('PolicyAlert', {
  uuid: ruuid('The alert.'),
  orgUuid: ruuid('The organization.'),
  deviceUuid: ruuid('The device that raised it.'),
  timestampMs: int64('When it was raised, in epoch milliseconds.'),
  acknowledgement: nullable(ACKNOWLEDGEMENT_SCHEMA),
  taking: nullable(TAKING_SCHEMA),
  ...ALERT_FLAG_FIELDS,
  ...nullableFields(ALERT_DETAIL_FIELDS),
  ...RESPONSE_RECORD_PROPERTIES,
});

export function policyAlertResponse(event: StoredEvent): Static<typeof POLICY_ALERT_SCHEMA> {
  const body = event.body as KnownAlertBody;
  return {
    uuid: event.id as Ruuid,
    orgUuid: event.orgUuid,
    deviceUuid: event.deviceUuid,
    timestampMs: event.atMs,
    acknowledgement:
      event.acknowledgement === undefined ? null : acknowledgementResponse(event.acknowledgement),
    taking: event.taking === undefined ? null : takingResponse(event.taking),
    ...responseFlags(ALERT_FLAG_FIELDS, body),
    ...responseFields(ALERT_DETAIL_FIELDS, body),
    ...responseRecords(body),
  };
}

export const EXAMPLE_ALERT_UUID = deriveRuuid('example', 'policy alert');

export const EXAMPLE_ALERT_EVENT: StoredEvent = {
  orgUuid: EXAMPLE_ORG_UUID,
  kind: 'policyAlert',
  id: EXAMPLE_ALERT_UUID,
  deviceUuid: EXAMPLE_CAMERA_UUID,
  atMs: EXAMPLE_TIME_MS,
  body: {
    type: 'POLICY_ALERT_V2',
    locationUuid: EXAMPLE_LOCATION_UUID,
    policyAlertTriggers: ['MOTION_HUMAN'],
    textDescription: 'Motion at the front desk',
    durationSec: 12,
    tempC: 21.5,
    tempCThreshold: 20,
  },
};

export const EXAMPLE_ACKNOWLEDGEMENT = acknowledgementResponse({
  atMs: EXAMPLE_TIME_MS + 60_000,
  actorUuid: deriveRuuid('example', 'person'),
  actorName: 'Ada',
  note: 'The usual van',
});

export const EXAMPLE_TAKING = takingResponse({
  atMs: EXAMPLE_TIME_MS + 30_000,
  actorUuid: deriveRuuid('example', 'person'),
  actorName: 'Ada',
});

export const EXAMPLE_POLICY_ALERT = policyAlertResponse(EXAMPLE_ALERT_EVENT);
