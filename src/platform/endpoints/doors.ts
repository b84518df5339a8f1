/** Access controlled doors (docs/spec/rules.md#doors). */

import { type Static, type TSchema, Type } from 'typebox';
import { changes } from '../../api/types/changes.ts';
import { creationPage, PAGE_REQUEST_PROPERTIES } from '../../api/types/creation-page.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_SCHEDULE_UUID,
  EXAMPLE_TIME_MS,
} from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { nullableFields, optionalFields, responseFields } from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  oneOf,
  ruuid,
  subLocationsHierarchyKey,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import { NEXT_PAGE_KEY } from '../../http/page-key.ts';
import { ACCESS_STATES, type OriginatorType } from '../access-control/access-state.ts';
import type { Door, DoorReport, DoorSettings } from '../access-control/door.ts';

const ORIGINATOR_TYPES = [
  'USER',
  'SUPPORT_AUTHORITY',
  'API_TOKEN',
  'RULE',
  'COMPONENT_COMPOSITE_EVENT',
  'UNKNOWN',
] as const satisfies readonly OriginatorType[];

/** The originator of a state of a door or an elevator landing (docs/spec/conventions.md#access-states). */
export const ORIGINATOR_SCHEMA = namedType('Originator', {
  type: Type.Optional(oneOf(ORIGINATOR_TYPES, 'What kind of originator it is.')),
  grantedToInternalEntityUuid: Type.Optional(ruuid('The user, key or rule that requested it.')),
  grantedToName: Type.Optional(text('Its name.')),
  supportAuthorityUuid: Type.Optional(ruuid('The support authority that acted.')),
  supportUserEmail: Type.Optional(text('Address of the support user.')),
  supportUsername: Type.Optional(text('Name of the support user.')),
});

const OVERRIDE_PROPERTIES = {
  originator: Type.Optional(ORIGINATOR_SCHEMA),
  requestedAtMillis: Type.Optional(int64('When it was requested, epoch milliseconds.', 0)),
};

export const FIRST_IN_STATE_SCHEMA = namedType('FirstInState', {
  ...OVERRIDE_PROPERTIES,
  state: Type.Optional(oneOf(['REQUIRED', 'SATISFIED'], 'Whether someone must still come in first.')),
});

export const ACCESS_STATE_OVERRIDE_SCHEMA = namedType('AccessStateOverride', {
  ...OVERRIDE_PROPERTIES,
  type: Type.Optional(
    oneOf(['DOOR_STATE_OVERRIDE', 'CANCELLED_DOOR_STATE_OVERRIDE'], 'Whether it is in effect.'),
  ),
  state: Type.Optional(oneOf(ACCESS_STATES, 'The state that was set.')),
  expiresAtMillis: Type.Optional(int64('When it ends, epoch milliseconds; absent if it does not end.', 0)),
});

/** The kinds of component that users pass through. */
export const COMPOSITE_TYPES = [
  'AccessControlledDoor',
  'AccessControlledElevator',
  'AccessControlledElevatorLanding',
] as const;

/** Cameras, readers, relays and so on of one door. */
const MAX_COMPONENTS = 100;
/** One day: nothing about a door takes longer. */
const MAX_SECONDS = 86_400;
const MAX_MILLISECONDS = 1_000 * MAX_SECONDS;
/** Half the circumference of the earth. */
const MAX_RADIUS_METRES = 20_037_500;

const seconds = (description: string) => int32(`${description} Seconds.`, 0, MAX_SECONDS);
const milliseconds = (description: string) => int32(`${description} Milliseconds.`, 0, MAX_MILLISECONDS);
const signalStrength = () => int32('Weakest signal that counts, in dBm.', -200, 0);

const COMPONENT_REFERENCE_SCHEMA = namedType('ComponentReference', {
  componentUuid: ruuid('The component.'),
  deviceUuid: Type.Optional(ruuid('The device that it is part of.')),
});

const PROXIMITY_UNLOCK_SCHEMA = namedType('ProximityUnlockSettings', {
  enabled: Type.Optional(flag('Whether the door unlocks for a phone nearby.')),
  credCooldownSec: Type.Optional(seconds('Time before the same credential counts again.')),
  exitResetsCooldown: Type.Optional(flag('Whether leaving ends that time.')),
  holdUnlocked: Type.Optional(flag('Whether the door stays unlocked while the phone is near.')),
  holdUnlockedEventIntervalSec: Type.Optional(seconds('Time between the events of a door held unlocked.')),
  minHoldUnlockedTimeSec: Type.Optional(seconds('Shortest time for which it is held unlocked.')),
  maxHoldUnlockedTimeSec: Type.Optional(seconds('Longest time for which it is held unlocked.')),
  minRSSIThreshold: Type.Optional(signalStrength()),
});

const WAVE_TO_UNLOCK_SCHEMA = namedType('WaveToUnlockSettings', {
  enabled: Type.Optional(flag('Whether a hand wave unlocks the door.')),
  awaitAuthDurationMs: Type.Optional(milliseconds('Time to wait for a credential after a wave.')),
  minRSSIThreshold: Type.Optional(signalStrength()),
  showAwaitIntentFeedback: Type.Optional(flag('Whether the reader shows that it waits for a wave.')),
  treatNfcAsIntent: Type.Optional(flag('Whether a card held to the reader counts as a wave.')),
});

const components = (what: string) => listOf(COMPONENT_REFERENCE_SCHEMA, `Its ${what}.`, MAX_COMPONENTS);

/** Fields that callers set. */
export const DOOR_SETTING_FIELDS = {
  name: text('Its name.', MAX_NAME_LENGTH),
  policyUuid: alertPolicy('The alert policy assigned to it.'),
  defaultState: oneOf(ACCESS_STATES, 'Its state unless a schedule or an override says otherwise.'),
  doorStateToScheduleUuidMap: mapOf(
    ruuid('A schedule.'),
    'The schedule during which the door is in a state, by state.',
  ),
  ajarTimeSec: seconds('Time after which an open door counts as ajar.'),
  forcedOpenEnabled: flag('Whether to report a door that was opened without being unlocked.'),
  forcedOpenTimeSec: seconds('Time after which to report a door that was opened without being unlocked.'),
  unlockTimeSec: seconds('How long a credential unlocks it.'),
  unlockTimeSecRex: seconds('How long a request to exit unlocks it.'),
  relockAfterOpenTimeMs: milliseconds('Time after which it locks again once opened.'),
  remoteUnlockEnabled: flag('Whether it can be unlocked remotely.'),
  floorNumber: int32('The floor it is on.'),
  directionRadians: double('The direction that it faces, clockwise from north.'),
  latitude: double('Degrees north.', -90, 90),
  longitude: double('Degrees east.', -180, 180),
  geofenceEnabled: flag('Whether phones unlock it only from within the geofence.'),
  geofenceRadius: double('Radius of the geofence in meters.', 0, MAX_RADIUS_METRES),
  associatedCameras: listOf(deviceFacetUuid('A camera.'), 'Cameras that see it.', MAX_COMPONENTS),
  associatedFaceDetectionCameras: listOf(
    deviceFacetUuid('A camera.'),
    'Cameras that recognize faces at it.',
    MAX_COMPONENTS,
  ),
  dpiComponents: components('door position indicators'),
  readerComponents: components('readers'),
  relayComponents: components('relays'),
  rexComponents: components('request-to-exit inputs'),
  forceAllReadersFirstInAuthRequiredLedFeedbackEnabled: flag(
    'Whether all readers show that someone must come in first.',
  ),
  forceAllReadersFirstInUnlockPendingLedFeedbackEnabled: flag(
    'Whether all readers show that the first person to come in unlocks the door.',
  ),
  forceAllReadersOtherReaderUnlockAudioFeedbackEnabled: flag(
    'Whether all readers sound when another one unlocks the door.',
  ),
  forceAllReadersRemoteUnlockAudioFeedbackEnabled: flag(
    'Whether all readers sound when the door is unlocked remotely.',
  ),
  proximityUnlockSettings: PROXIMITY_UNLOCK_SCHEMA,
  waveToUnlockSettings: WAVE_TO_UNLOCK_SCHEMA,
  subLocationsHierarchyKey: subLocationsHierarchyKey('Its sublocation.'),
} satisfies Record<keyof DoorSettings, TSchema>;

/** Fields that only its owner device knows. */
export const DOOR_REPORTED_FIELDS = {
  subType: oneOf(['NATIVE', 'LOCK_VENDOR'], 'Whether a lock vendor operates it.'),
  lockVendorDoorId: text('The lock vendor’s ID for it.'),
  lockVendorDoorExtensionComponent: COMPONENT_REFERENCE_SCHEMA,
  lockVendorGatewayComponent: COMPONENT_REFERENCE_SCHEMA,
  nfcSecureDowngradeEnabled: flag('Whether less secure cards are accepted.'),
  privacyModeSupportEnabled: flag('Whether it can be locked from the inside.'),
  sendExpiredIntentEvents: flag('Whether it reports waves without a credential.'),
  defaultAccessStateOriginator: ORIGINATOR_SCHEMA,
  defaultAccessStateRequestedAtMillis: int64('When the default state was requested, epoch milliseconds.', 0),
  doorAuthFirstInStateOverride: FIRST_IN_STATE_SCHEMA,
  doorScheduleFirstInStateOverride: FIRST_IN_STATE_SCHEMA,
  doorStateOverride: ACCESS_STATE_OVERRIDE_SCHEMA,
} satisfies Record<keyof DoorReport, TSchema>;

/** The access controlled door, as returned. */
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

function doorResponse(door: Door): Static<typeof DOOR_SCHEMA> {
  const { body } = door;
  return {
    uuid: door.uuid,
    orgUuid: door.orgUuid,
    type: 'AccessControlledDoor',
    locationUuid: body.locationUuid,
    ownerDeviceUuid: door.parentUuid,
    createdAtMillis: door.createdAtMs,
    updatedAtMillis: door.updatedAtMs,
    ...responseFields(DOOR_SETTING_FIELDS, { ...body, name: door.name }),
    ...responseFields(DOOR_REPORTED_FIELDS, body),
  };
}

export const EXAMPLE_DOOR_UUID = deriveRuuid('example', 'door');
export const EXAMPLE_DOOR_CONTROLLER_UUID = deriveRuuid('example', 'door controller');

const EXAMPLE_DOOR: Static<typeof DOOR_SCHEMA> = doorResponse({
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

const findAccessControlledDoors = defineEndpoint({
  path: '/api/component/findAccessControlledDoors',
  summary: 'Lists the doors of the organization.',
  description:
    'Devices report their doors. To get the next page, send back the `lastEvaluatedKey` of the response. The last ' +
    'page has none.',
  request: Type.Object(PAGE_REQUEST_PROPERTIES),
  response: {
    accessControlledDoors: listOf(DOOR_SCHEMA, 'The doors, the first reported first.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: { maxPageSize: 100 },
    response: { accessControlledDoors: [EXAMPLE_DOOR], lastEvaluatedKey: null },
  },
  async handler({ orgUuid, services }, body) {
    const { items, lastEvaluatedKey } = await creationPage('accessControlledDoors', body, (query) =>
      services.accessControl.doors.page(orgUuid, query),
    );
    return { accessControlledDoors: LongList.of(items).map(doorResponse), lastEvaluatedKey };
  },
});

const findAccessControlledDoorsByOwnerDevice = defineEndpoint({
  path: '/api/component/findAccessControlledDoorsByOwnerDevice',
  summary: 'Lists the doors that a device operates.',
  description:
    'Doors are created when their devices report them. A camera or an NVR that operates none has an empty list; an ' +
    'unknown device is refused.',
  request: Type.Object({ ownerDeviceUuid: deviceUuid('The device.') }),
  response: { accessControlledDoors: listOf(DOOR_SCHEMA, 'Its doors, the first reported first.') },
  example: {
    request: { ownerDeviceUuid: EXAMPLE_DOOR_CONTROLLER_UUID },
    response: { accessControlledDoors: [EXAMPLE_DOOR] },
  },
  async handler({ orgUuid, services }, { ownerDeviceUuid }) {
    const doors = await services.accessControl.doors.findByOwnerDevice(orgUuid, ownerDeviceUuid);
    return { accessControlledDoors: LongList.of(doors).map(doorResponse) };
  },
});

const SUBLOCATION = changes({
  subLocationsHierarchyKey: Type.Optional(DOOR_SETTING_FIELDS.subLocationsHierarchyKey),
});

const updateAccessControlledDoor = defineEndpoint({
  path: '/api/component/updateAccessControlledDoor',
  summary: 'Changes the settings of a door.',
  description:
    'Absent fields stay as they are. Lists, maps and nested records are replaced as a whole: a state that ' +
    '`doorStateToScheduleUuidMap` leaves out, or gives as null, has no schedule. A `defaultState` is stored with who ' +
    'requested it and when (`defaultAccessStateOriginator`, `defaultAccessStateRequestedAtMillis`). ' +
    '`subLocationsHierarchyKey` counts only together with `subLocationsHierarchyKeyUpdated`; that flag alone clears ' +
    'it.',
  repetition: 'same-outcome',
  request: Type.Object({
    accessControlledDoorUuid: ruuid('The door.'),
    ...optionalFields(DOOR_SETTING_FIELDS),
    ...SUBLOCATION.properties,
  }),
  response: { accessControlledDoor: DOOR_SCHEMA },
  example: {
    request: {
      accessControlledDoorUuid: EXAMPLE_DOOR_UUID,
      unlockTimeSec: 10,
      doorStateToScheduleUuidMap: { UNLOCKED: EXAMPLE_SCHEDULE_UUID },
    },
    response: {
      accessControlledDoor: {
        ...EXAMPLE_DOOR,
        unlockTimeSec: 10,
        doorStateToScheduleUuidMap: { UNLOCKED: EXAMPLE_SCHEDULE_UUID },
      },
    },
  },
  async handler(context, body) {
    const { orgUuid, caller, services } = context;
    const settings = { ...givenSettings(body), ...SUBLOCATION.applied(body) };
    const door = await services.accessControl.doors.update(orgUuid, body.accessControlledDoorUuid, settings, {
      type: 'API_TOKEN',
      grantedToInternalEntityUuid: caller.actor.uuid,
      grantedToName: caller.actor.name,
    });
    if (Object.keys(givenSettings(body)).some((name) => name !== 'name')) {
      context.warn(
        'The gateway stores these settings for the device that operates the door. It does not operate the door ' +
          'itself.',
      );
    }
    return { accessControlledDoor: doorResponse(door) };
  },
});

/** The settings in a body, which can contain anything else. */
function givenSettings(body: object) {
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(DOOR_SETTING_FIELDS)) {
    const value = (body as Record<string, unknown>)[name];
    if (value !== undefined && name !== 'subLocationsHierarchyKey') given[name] = value;
  }
  return given;
}

export const DOOR_ENDPOINTS: readonly Endpoint[] = [
  findAccessControlledDoors,
  findAccessControlledDoorsByOwnerDevice,
  updateAccessControlledDoor,
];
