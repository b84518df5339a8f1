/** Observations in footage: boxes in the image and points in time, of saved clips and policy alerts. */

import { type TObject, type TProperties, Type } from 'typebox';
import {
  type GivenFields,
  nullableFields,
  optionalFields,
  type ResponseFields,
  responseFields,
} from '../../http/fields/field-groups.ts';
import {
  double,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  oneOf,
  text,
} from '../../http/fields/field-types.ts';

/** Limit for each list. */
const MAX_DETECTIONS = 500;
const MAX_LOCATOR_LENGTH = 2_048;

const COLORS = ['BLUE', 'RED', 'PURPLE', 'TAN', 'ORANGE', 'TEAL', 'GRAY', 'BLACK'] as const;

const POINT_SCHEMA = namedType('DetectionPoint', {
  x: Type.Optional(int32('Across.')),
  y: Type.Optional(int32('Down.')),
});

const SENSOR_VALUE_SCHEMA = namedType('SensorVal', {
  sensorBoolean: Type.Optional(flag('A value that is true or false.')),
  sensorDouble: Type.Optional(double('A value with decimals.')),
  sensorLong: Type.Optional(int64('An integer value.')),
});

const POS_ORDER_SCHEMA = namedType('PosOrderId', {
  guid: Type.Optional(text('The order.')),
  employeeName: Type.Optional(text('The employee who served.')),
  locationName: Type.Optional(text('Where.')),
  restaurantName: Type.Optional(text('Restaurant or shop.')),
  posCheckInfo: Type.Optional(namedType('PosCheckInfo', { totalAmount: Type.Optional(double('Total.')) })),
});

/** Fields that boxes and points have in common. */
const DETECTION_FIELDS = {
  activity: text('The activity, such as MOTION_HUMAN.'),
  alert: flag('Whether it raised an alert.'),
  customActivityColor: oneOf(COLORS, 'The color to show it in.'),
  customActivityDescription: text('Description, for a custom activity.'),
  customActivityDisplayName: text('Name, for a custom activity.'),
  faceName: text('Name of the face.'),
  unidentifiedFaceId: text('The face, if it has no name.'),
  inMotion: flag('Whether it moved.'),
  licensePlate: text('License plate.'),
  vehicleName: text('Name of the vehicle.'),
  loudness: int32('Loudness.'),
  pose: text('Pose.'),
  relativeSecond: double('Seconds from the start.'),
  sensorValType: SENSOR_VALUE_SCHEMA,
  posOrderIdInfo: POS_ORDER_SCHEMA,
};

export const BOUNDING_BOX_FIELDS = {
  ...DETECTION_FIELDS,
  left: int32('Left edge.'),
  top: int32('Top edge.'),
  right: int32('Right edge.'),
  bottom: int32('Bottom edge.'),
  confidence: double('The camera’s confidence.'),
  croppedImageLocator: text('Where the image of the box is stored.', MAX_LOCATOR_LENGTH),
  keypointsV2: mapOf(POINT_SCHEMA, 'Points of the body.'),
  objectId: int32('The ID that the camera tracks it by.'),
};

export const SEEK_POINT_FIELDS = {
  ...DETECTION_FIELDS,
  id: int32('The point.'),
  dcao: flag('As reported by the camera.'),
  tu: text('Where its image is stored.', MAX_LOCATOR_LENGTH),
};

export type GivenBoundingBox = GivenFields<typeof BOUNDING_BOX_FIELDS>;
export type GivenSeekPoint = GivenFields<typeof SEEK_POINT_FIELDS>;

/** A list of records in the rows of a report. */
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

/** The same list in responses. */
export function responseRecordList<T extends TProperties>(title: string, fields: T, description: string) {
  const record: TObject = Type.Object(nullableFields(fields), { title });
  return Type.Unsafe<ResponseFields<T>[]>(listOf(record, description));
}

export function responseBoxes(
  boxes: readonly GivenBoundingBox[] = [],
): ResponseFields<typeof BOUNDING_BOX_FIELDS>[] {
  return boxes.map((box) => responseFields(BOUNDING_BOX_FIELDS, box));
}

export function responseSeekPoints(
  points: readonly GivenSeekPoint[] = [],
): ResponseFields<typeof SEEK_POINT_FIELDS>[] {
  return points.map((point) => responseFields(SEEK_POINT_FIELDS, point));
}
