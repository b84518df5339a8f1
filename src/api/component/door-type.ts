/** The access controlled door, as returned. */

import type { Static } from 'typebox';
import type { Door } from '../../access-control/door.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { answeredFields, nullableFields } from '../../http/fields/field-groups.ts';
import { int64, namedType, nullable, oneOf, ruuid } from '../../http/fields/field-types.ts';
import { COMPOSITE_TYPES } from '../types/access-state-type.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { DOOR_REPORTED_FIELDS, DOOR_SETTING_FIELDS } from './door-fields.ts';

export const DOOR_SCHEMA = namedType('AccessControlledDoor', {
  uuid: ruuid('The door.'),
  orgUuid: ruuid('Its organization.'),
  type: oneOf(COMPOSITE_TYPES, 'AccessControlledDoor.'),
  locationUuid: nullable(ruuid('Where it is.')),
  ownerDeviceUuid: nullable(ruuid('The device that operates it.')),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
  ...nullableFields(DOOR_SETTING_FIELDS),
  ...nullableFields(DOOR_REPORTED_FIELDS),
});

export function doorAnswer(door: Door): Static<typeof DOOR_SCHEMA> {
  const { body } = door;
  return {
    uuid: door.uuid,
    orgUuid: door.orgUuid,
    type: 'AccessControlledDoor',
    locationUuid: body.locationUuid,
    ownerDeviceUuid: door.parentUuid,
    createdAtMillis: door.createdAtMs,
    updatedAtMillis: door.updatedAtMs,
    ...answeredFields(DOOR_SETTING_FIELDS, { ...body, name: door.name }),
    ...answeredFields(DOOR_REPORTED_FIELDS, body),
  };
}

export const EXAMPLE_DOOR_UUID = deriveRuuid('example', 'door');
export const EXAMPLE_DOOR_CONTROLLER_UUID = deriveRuuid('example', 'door controller');

export const EXAMPLE_DOOR: Static<typeof DOOR_SCHEMA> = doorAnswer({
  uuid: EXAMPLE_DOOR_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Loading dock',
  parentUuid: EXAMPLE_DOOR_CONTROLLER_UUID,
  body: {
    locationUuid: EXAMPLE_LOCATION_UUID,
    defaultState: 'ACCESS_CONTROLLED',
    unlockTimeSec: 5,
    associatedCameras: [EXAMPLE_CAMERA_UUID],
  },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
});
