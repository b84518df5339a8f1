/** What was seen or measured in footage: boxes in the picture and points in time, of saved clips and policy alerts. */

import { type TObject, type TProperties, Type } from 'typebox';
import {
  type AnsweredFields,
  answeredFields,
  type GivenFields,
  nullableFields,
  optionalFields,
} from '../fields/field-groups.ts';
import { double, flag, int32, int64, listOf, mapOf, namedType, oneOf, text } from '../fields/field-types.ts';

/** Of each list. */
export const MAX_DETECTIONS = 500;
const MAX_LOCATOR_LENGTH = 2_048;

const COLORS = ['BLUE', 'RED', 'PURPLE', 'TAN', 'ORANGE', 'TEAL', 'GRAY', 'BLACK'] as const;

const POINT_SCHEMA = namedType('DetectionPoint', {
  x: Type.Optional(int32('Across.')),
  y: Type.Optional(int32('Down.')),
});

const SENSOR_VALUE_SCHEMA = namedType('SensorVal', {
  sensorBoolean: Type.Optional(flag('A value that is true or false.')),
  sensorDouble: Type.Optional(double('A value with decimals.')),
  sensorLong: Type.Optional(int64('A whole value.')),
});

const POS_ORDER_SCHEMA = namedType('PosOrderId', {
  guid: Type.Optional(text('The order.')),
  employeeName: Type.Optional(text('Who served.')),
  locationName: Type.Optional(text('Where.')),
  restaurantName: Type.Optional(text('Restaurant or shop.')),
  posCheckInfo: Type.Optional(namedType('PosCheckInfo', { totalAmount: Type.Optional(double('Total.')) })),
});

/** What boxes and points have in common. */
const DETECTION_FIELDS = {
  activity: text('What it is, such as MOTION_HUMAN.'),
  alert: flag('It alerted.'),
  customActivityColor: oneOf(COLORS, 'Colour in which it is shown.'),
  customActivityDescription: text('In words, for an activity of one’s own.'),
  customActivityDisplayName: text('Name, for an activity of one’s own.'),
  faceName: text('Name of the face.'),
  unidentifiedFaceId: text('The face, when it has no name.'),
  inMotion: flag('It moved.'),
  licensePlate: text('Number plate.'),
  vehicleName: text('Name of the vehicle.'),
  loudness: int32('Loudness.'),
  pose: text('Pose.'),
  relativeSecond: double('Seconds from the beginning.'),
  sensorValType: SENSOR_VALUE_SCHEMA,
  posOrderIdInfo: POS_ORDER_SCHEMA,
};

export const BOUNDING_BOX_FIELDS = {
  ...DETECTION_FIELDS,
  left: int32('Left edge.'),
  top: int32('Upper edge.'),
  right: int32('Right edge.'),
  bottom: int32('Lower edge.'),
  confidence: double('How sure the camera is.'),
  croppedImageLocator: text('Where the picture of the box is kept.', MAX_LOCATOR_LENGTH),
  keypointsV2: mapOf(POINT_SCHEMA, 'Points of the body.'),
  objectId: int32('What the camera tracks it by.'),
};

export const SEEK_POINT_FIELDS = {
  ...DETECTION_FIELDS,
  id: int32('The point.'),
  dcao: flag('As the camera said it.'),
  tu: text('Where its picture is kept.', MAX_LOCATOR_LENGTH),
};

export type GivenBoundingBox = GivenFields<typeof BOUNDING_BOX_FIELDS>;
export type GivenSeekPoint = GivenFields<typeof SEEK_POINT_FIELDS>;

/** A list of records as rows of a report carry it. */
export function givenRecords<T extends TProperties>(
  title: string,
  fields: T,
  description: string,
  maxItems = MAX_DETECTIONS,
) {
  const record: TObject = Type.Object(optionalFields(fields), { title });
  const list = listOf(record, `${description} At most ${maxItems}.`, maxItems);
  return Type.Unsafe<GivenFields<T>[]>(list);
}

/** The same as answers carry it. */
export function answeredRecordList<T extends TProperties>(title: string, fields: T, description: string) {
  const record: TObject = Type.Object(nullableFields(fields), { title });
  return Type.Unsafe<AnsweredFields<T>[]>(listOf(record, description));
}

export function answeredBoxes(
  boxes: readonly GivenBoundingBox[] = [],
): AnsweredFields<typeof BOUNDING_BOX_FIELDS>[] {
  return boxes.map((box) => answeredFields(BOUNDING_BOX_FIELDS, box));
}

export function answeredSeekPoints(
  points: readonly GivenSeekPoint[] = [],
): AnsweredFields<typeof SEEK_POINT_FIELDS>[] {
  return points.map((point) => answeredFields(SEEK_POINT_FIELDS, point));
}
