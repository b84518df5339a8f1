/** The access controlled elevator landing and its shadow, as reported and as returned. */

import { type Static, type TSchema, Type } from 'typebox';
import { ACCESS_STATES } from '../../../access-control/access-state.ts';
import type { Landing, LandingFields, LandingShadowFields } from '../../../access-control/landing.ts';
import { deriveRuuid } from '../../../core/ruuid.ts';
import { answeredFields, nullableFields } from '../../../http/fields/field-groups.ts';
import { int64, namedType, nullable, oneOf, ruuid } from '../../../http/fields/field-types.ts';
import {
  ACCESS_STATE_OVERRIDE_SCHEMA,
  COMPOSITE_TYPES,
  FIRST_IN_STATE_SCHEMA,
  ORIGINATOR_SCHEMA,
} from '../../types/access-state-type.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../../types/examples.ts';
import { DOOR_SETTING_FIELDS } from '../door-fields.ts';

const EVENT_TIME = Type.Optional(int64('When the device reported it, epoch milliseconds.', 0));

const FIRST_IN_SHADOW_SCHEMA = namedType('FirstInShadow', {
  originator: Type.Optional(ORIGINATOR_SCHEMA),
  source: Type.Optional(
    oneOf(
      [
        'CONFIG_MANUAL_OVERRIDE',
        'CONFIG_REQUIREMENT_CHANGE',
        'CONFIG_MEMBERSHIP',
        'SCHEDULED_RESET',
        'LOCAL_BADGE_EVENT',
        'LOCKDOWN',
        'UNKNOWN',
      ],
      'What caused the state.',
    ),
  ),
  state: Type.Optional(
    oneOf(
      ['DISABLED', 'NOT_CONFIGURED', 'REQUIRED', 'SATISFIED', 'UNKNOWN'],
      'Whether someone must still come in first.',
    ),
  ),
  stateUpdateEventTimestampMs: EVENT_TIME,
});

const ACCESS_STATE_SHADOW_SCHEMA = namedType('AccessStateShadow', {
  source: Type.Optional(
    oneOf(
      [
        'DEFAULT_STATE',
        'SCHEDULE',
        'SCHEDULE_EXCEPTION',
        'FIRST_IN',
        'DOOR_STATE_OVERRIDE',
        'LOCKDOWN',
        'PRIVACY',
        'UNKNOWN',
      ],
      'What caused the state.',
    ),
  ),
  state: Type.Optional(oneOf(ACCESS_STATES, 'Its state.')),
  stateUpdateEventTimestampMs: EVENT_TIME,
});

/** What the owner device reports about a landing. */
export const LANDING_FIELDS = {
  name: DOOR_SETTING_FIELDS.name,
  floorNumber: DOOR_SETTING_FIELDS.floorNumber,
  policyUuid: DOOR_SETTING_FIELDS.policyUuid,
  remoteUnlockEnabled: DOOR_SETTING_FIELDS.remoteUnlockEnabled,
  geofenceEnabled: DOOR_SETTING_FIELDS.geofenceEnabled,
  geofenceRadius: DOOR_SETTING_FIELDS.geofenceRadius,
  associatedCameras: DOOR_SETTING_FIELDS.associatedCameras,
  associatedFaceDetectionCameras: DOOR_SETTING_FIELDS.associatedFaceDetectionCameras,
  defaultAccessState: DOOR_SETTING_FIELDS.defaultState,
  accessStateToScheduleUuidMap: DOOR_SETTING_FIELDS.doorStateToScheduleUuidMap,
  accessStateOverride: ACCESS_STATE_OVERRIDE_SCHEMA,
  accessScheduleFirstInStateOverride: FIRST_IN_STATE_SCHEMA,
  authFirstInStateOverride: FIRST_IN_STATE_SCHEMA,
} satisfies Record<keyof LandingFields, TSchema>;

/** What the owner device reports about a landing's state. */
export const LANDING_SHADOW_FIELDS = {
  authFirstIn: FIRST_IN_SHADOW_SCHEMA,
  scheduleFirstIn: FIRST_IN_SHADOW_SCHEMA,
  state: ACCESS_STATE_SHADOW_SCHEMA,
} satisfies Record<keyof LandingShadowFields, TSchema>;

export const LANDING_SCHEMA = namedType('AccessControlledElevatorLanding', {
  uuid: ruuid('The landing.'),
  orgUuid: ruuid('Its organization.'),
  type: oneOf(COMPOSITE_TYPES, 'AccessControlledElevatorLanding.'),
  locationUuid: nullable(ruuid('Where it is.')),
  ownerDeviceUuid: ruuid('The device that operates it.'),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
  ...nullableFields(LANDING_FIELDS),
});

export const LANDING_SHADOW_SCHEMA = namedType('AccessControlledElevatorLandingShadow', {
  componentCompositeUuid: ruuid('The landing.'),
  orgUuid: ruuid('Its organization.'),
  type: oneOf(
    ['AccessControlledDoorShadow', 'AccessControlledElevatorLandingShadow'],
    'AccessControlledElevatorLandingShadow.',
  ),
  createdAtMillis: nullable(int64('When a state was first reported, epoch milliseconds.')),
  updatedAtMillis: nullable(int64('When a state was last reported, epoch milliseconds.')),
  ...nullableFields(LANDING_SHADOW_FIELDS),
});

export function landingAnswer(landing: Landing): Static<typeof LANDING_SCHEMA> {
  const { body } = landing;
  return {
    uuid: landing.uuid,
    orgUuid: landing.orgUuid,
    type: 'AccessControlledElevatorLanding',
    locationUuid: landing.parentUuid,
    ownerDeviceUuid: body.ownerDeviceUuid,
    createdAtMillis: landing.createdAtMs,
    updatedAtMillis: landing.updatedAtMs,
    ...answeredFields(LANDING_FIELDS, { ...body, name: landing.name }),
  };
}

export function landingShadowAnswer({ uuid, orgUuid, body }: Landing): Static<typeof LANDING_SHADOW_SCHEMA> {
  return {
    componentCompositeUuid: uuid,
    orgUuid,
    type: 'AccessControlledElevatorLandingShadow',
    createdAtMillis: body.shadow?.createdAtMs ?? null,
    updatedAtMillis: body.shadow?.updatedAtMs ?? null,
    ...answeredFields(LANDING_SHADOW_FIELDS, body.shadow ?? {}),
  };
}

export const EXAMPLE_LANDING_UUID = deriveRuuid('example', 'elevator landing');

const EXAMPLE: Landing = {
  uuid: EXAMPLE_LANDING_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Elevator A, floor 3',
  parentUuid: EXAMPLE_LOCATION_UUID,
  body: {
    ownerDeviceUuid: deriveRuuid('example', 'elevator controller'),
    floorNumber: 3,
    defaultAccessState: 'ACCESS_CONTROLLED',
    labels: ['Executive floors'],
    shadow: {
      state: {
        source: 'DEFAULT_STATE',
        state: 'ACCESS_CONTROLLED',
        stateUpdateEventTimestampMs: EXAMPLE_TIME_MS,
      },
      createdAtMs: EXAMPLE_TIME_MS,
      updatedAtMs: EXAMPLE_TIME_MS,
    },
  },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

export const EXAMPLE_LANDING: Static<typeof LANDING_SCHEMA> = landingAnswer(EXAMPLE);
export const EXAMPLE_LANDING_SHADOW: Static<typeof LANDING_SHADOW_SCHEMA> = landingShadowAnswer(EXAMPLE);
