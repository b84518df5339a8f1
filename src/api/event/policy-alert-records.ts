/** The records nested in a policy alert (docs/spec/rules.md#policy-alerts). */

import { type TProperties, Type } from 'typebox';
import { type AnsweredFields, answeredFields, type GivenFields } from '../../http/fields/field-groups.ts';
import { deviceUuid, int32, int64, listOf, ruuid, text } from '../../http/fields/field-types.ts';
import { answeredRecordList, givenRecords } from '../types/detection-type.ts';

/** Of each nested list. */
export const MAX_NESTED_RECORDS = 100;
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

export type GivenRecords = { readonly [K in RecordName]?: readonly GivenFields<FieldsOf<K>>[] };
export type AnsweredRecords = { [K in RecordName]: AnsweredFields<FieldsOf<K>>[] };

function givenList<K extends RecordName>(name: K) {
  const { title, fields, description } = RECORDS[name];
  const list = givenRecords<TProperties>(title, fields, description, MAX_NESTED_RECORDS);
  return Type.Optional(Type.Unsafe<GivenFields<FieldsOf<K>>[]>(list));
}

function answeredList<K extends RecordName>(name: K) {
  const { title, fields, description } = RECORDS[name];
  return Type.Unsafe<AnsweredFields<FieldsOf<K>>[]>(
    answeredRecordList<TProperties>(title, fields, description),
  );
}

/** As in the rows of a report. */
export const GIVEN_RECORD_PROPERTIES = {
  alertingDwellEvents: givenList('alertingDwellEvents'),
  alertingEventFaces: givenList('alertingEventFaces'),
  alertingEventVehicles: givenList('alertingEventVehicles'),
};

/** As in responses. */
export const ANSWERED_RECORD_PROPERTIES = {
  alertingDwellEvents: answeredList('alertingDwellEvents'),
  alertingEventFaces: answeredList('alertingEventFaces'),
  alertingEventVehicles: answeredList('alertingEventVehicles'),
};

export function answeredRecords(given: GivenRecords): AnsweredRecords {
  return {
    alertingDwellEvents: answeredEach('alertingDwellEvents', given),
    alertingEventFaces: answeredEach('alertingEventFaces', given),
    alertingEventVehicles: answeredEach('alertingEventVehicles', given),
  };
}

function answeredEach<K extends RecordName>(name: K, given: GivenRecords): AnsweredRecords[K] {
  const records: readonly GivenFields<FieldsOf<K>>[] = given[name] ?? [];
  return records.map((record) =>
    answeredFields(RECORDS[name].fields as FieldsOf<K>, record),
  ) as AnsweredRecords[K];
}
