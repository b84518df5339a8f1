/** Access controlled elevator landings, their labels, and their states. */

import { type Static, type TSchema, Type } from 'typebox';
import { creationPage, PAGE_REQUEST_PROPERTIES, type PageRequest } from '../../api/types/creation-page.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { nullableFields, responseFields } from '../../http/fields/field-groups.ts';
import {
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
import { NEXT_PAGE_KEY } from '../../http/page-key.ts';
import { ACCESS_STATES } from '../access-control/access-state.ts';
import type { Landing, LandingFields, LandingShadowFields } from '../access-control/landing.ts';
import {
  ACCESS_STATE_OVERRIDE_SCHEMA,
  COMPOSITE_TYPES,
  DOOR_SETTING_FIELDS,
  FIRST_IN_STATE_SCHEMA,
  ORIGINATOR_SCHEMA,
} from './doors.ts';

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

/** The owner device's report about a landing. */
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

/** The owner device's report about a landing's state. */
export const LANDING_SHADOW_FIELDS = {
  authFirstIn: FIRST_IN_SHADOW_SCHEMA,
  scheduleFirstIn: FIRST_IN_SHADOW_SCHEMA,
  state: ACCESS_STATE_SHADOW_SCHEMA,
} satisfies Record<keyof LandingShadowFields, TSchema>;

const LANDING_SCHEMA = namedType('AccessControlledElevatorLanding', {
  uuid: ruuid('The landing.'),
  orgUuid: ruuid('Its organization.'),
  type: oneOf(COMPOSITE_TYPES, 'AccessControlledElevatorLanding.'),
  locationUuid: nullable(ruuid('Where it is.')),
  ownerDeviceUuid: ruuid('The device that operates it.'),
  createdAtMillis: int64('When it was first reported, epoch milliseconds.'),
  updatedAtMillis: int64('When it last changed, epoch milliseconds.'),
  ...nullableFields(LANDING_FIELDS),
});

const LANDING_SHADOW_SCHEMA = namedType('AccessControlledElevatorLandingShadow', {
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

function landingResponse(landing: Landing): Static<typeof LANDING_SCHEMA> {
  const { body } = landing;
  return {
    uuid: landing.uuid,
    orgUuid: landing.orgUuid,
    type: 'AccessControlledElevatorLanding',
    locationUuid: landing.parentUuid,
    ownerDeviceUuid: body.ownerDeviceUuid,
    createdAtMillis: landing.createdAtMs,
    updatedAtMillis: landing.updatedAtMs,
    ...responseFields(LANDING_FIELDS, { ...body, name: landing.name }),
  };
}

function landingShadowResponse({ uuid, orgUuid, body }: Landing): Static<typeof LANDING_SHADOW_SCHEMA> {
  return {
    componentCompositeUuid: uuid,
    orgUuid,
    type: 'AccessControlledElevatorLandingShadow',
    createdAtMillis: body.shadow?.createdAtMs ?? null,
    updatedAtMillis: body.shadow?.updatedAtMs ?? null,
    ...responseFields(LANDING_SHADOW_FIELDS, body.shadow ?? {}),
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

const EXAMPLE_LANDING: Static<typeof LANDING_SCHEMA> = landingResponse(EXAMPLE);
const EXAMPLE_LANDING_SHADOW: Static<typeof LANDING_SHADOW_SCHEMA> = landingShadowResponse(EXAMPLE);

/** Pages of elevator landings, for three endpoints. */
interface LandingPageRequest extends PageRequest {
  readonly locationUuid?: Ruuid;
}

/** `list` names the list in its keys. Fails INVALID_FIELD for a key of another list, LOCATION_NOT_FOUND. */
async function landingPage(
  { orgUuid, services }: CallContext,
  list: string,
  { locationUuid, ...page }: LandingPageRequest,
): Promise<{ landings: readonly Landing[]; lastEvaluatedKey: string | null }> {
  if (locationUuid !== undefined) await services.devices.requireLocation(orgUuid, locationUuid);
  const place = locationUuid === undefined ? {} : { parentUuid: locationUuid };
  const { items, lastEvaluatedKey } = await creationPage(list, page, (query) =>
    services.accessControl.elevatorLandings.page(orgUuid, { ...place, ...query }),
  );
  return { landings: items, lastEvaluatedKey };
}

const findAccessControlledElevatorLandingsByLocation = defineEndpoint({
  path: '/api/component/elevator/findAccessControlledElevatorLandingsByLocation',
  summary: 'Lists the elevator landings of a location.',
  description: 'Landings are created when their devices report them.',
  request: Type.Object({ locationUuid: ruuid('The location.'), ...PAGE_REQUEST_PROPERTIES }),
  response: {
    accessControlledElevatorLandings: listOf(LANDING_SCHEMA, 'The landings, the first reported first.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID },
    response: { accessControlledElevatorLandings: [EXAMPLE_LANDING], lastEvaluatedKey: null },
  },
  async handler(context, body) {
    const { landings, lastEvaluatedKey } = await landingPage(context, 'locationLandings', body);
    return { accessControlledElevatorLandings: LongList.of(landings).map(landingResponse), lastEvaluatedKey };
  },
});

const findAccessControlledElevatorLandingShadows = defineEndpoint({
  path: '/api/component/elevator/findAccessControlledElevatorLandingShadows',
  summary: 'Lists the states of elevator landings.',
  description:
    'As last reported by their devices. If no state of a landing has been reported yet, its fields are absent.',
  request: Type.Object(PAGE_REQUEST_PROPERTIES),
  response: {
    shadows: listOf(LANDING_SHADOW_SCHEMA, 'One per landing, the first reported first.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: { request: {}, response: { shadows: [EXAMPLE_LANDING_SHADOW], lastEvaluatedKey: null } },
  async handler(context, body) {
    const { landings, lastEvaluatedKey } = await landingPage(context, 'elevatorLandingShadows', body);
    return { shadows: LongList.of(landings).map(landingShadowResponse), lastEvaluatedKey };
  },
});

const findAccessControlledElevatorLandingShadowsByLocation = defineEndpoint({
  path: '/api/component/elevator/findAccessControlledElevatorLandingShadowsByLocation',
  summary: 'Lists the states of the elevator landings of a location.',
  description:
    'As last reported by their devices. If no state of a landing has been reported yet, its fields are absent.',
  request: Type.Object({ locationUuid: ruuid('The location.'), ...PAGE_REQUEST_PROPERTIES }),
  response: {
    shadows: listOf(LANDING_SHADOW_SCHEMA, 'One per landing, the first reported first.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID },
    response: { shadows: [EXAMPLE_LANDING_SHADOW], lastEvaluatedKey: null },
  },
  async handler(context, body) {
    const { landings, lastEvaluatedKey } = await landingPage(context, 'locationLandingShadows', body);
    return { shadows: LongList.of(landings).map(landingShadowResponse), lastEvaluatedKey };
  },
});

const getAccessControlledElevatorLandingLabelsForOrg = defineEndpoint({
  path: '/api/component/elevator/getAccessControlledElevatorLandingLabelsForOrg',
  summary: 'Lists the labels of the organization’s elevator landings.',
  description: 'Landings without labels are left out.',
  request: Type.Object({}),
  response: {
    accessControlledElevatorLandingLabels: mapOf(
      listOf(plainText('A label.'), 'Its labels, the first added first.'),
      'Labels by landing.',
    ),
  },
  example: {
    request: {},
    response: { accessControlledElevatorLandingLabels: { [EXAMPLE_LANDING_UUID]: ['Executive floors'] } },
  },
  async handler({ orgUuid, services }) {
    const labels = await services.accessControl.elevatorLandings.labels(orgUuid);
    return {
      accessControlledElevatorLandingLabels: Object.fromEntries(
        [...labels].map(([uuid, ofLanding]) => [uuid, [...ofLanding]]),
      ),
    };
  },
});

const addAccessControlledElevatorLandingLabel = defineEndpoint({
  path: '/api/component/elevator/addAccessControlledElevatorLandingLabel',
  summary: 'Adds a label to an elevator landing.',
  description: 'If the landing already has the label, nothing changes.',
  repetition: 'once',
  request: Type.Object({
    accessControlledElevatorLandingUuid: ruuid('The landing.'),
    label: text('The label; spaces around it are ignored.'),
  }),
  response: {},
  example: {
    request: { accessControlledElevatorLandingUuid: EXAMPLE_LANDING_UUID, label: 'Executive floors' },
    response: {},
  },
  async handler({ orgUuid, services }, { accessControlledElevatorLandingUuid, label }) {
    await services.accessControl.elevatorLandings.addLabel(
      orgUuid,
      accessControlledElevatorLandingUuid,
      label,
    );
    return {};
  },
});

const removeAccessControlledElevatorLandingLabel = defineEndpoint({
  path: '/api/component/elevator/removeAccessControlledElevatorLandingLabel',
  summary: 'Removes a label from an elevator landing.',
  description: 'If the landing does not have the label, the call is refused.',
  repetition: 'same-outcome',
  request: Type.Object({
    accessControlledElevatorLandingUuid: ruuid('The landing.'),
    label: text('The label; spaces around it are ignored.'),
  }),
  response: {},
  example: {
    request: { accessControlledElevatorLandingUuid: EXAMPLE_LANDING_UUID, label: 'Executive floors' },
    response: {},
  },
  async handler({ orgUuid, services }, { accessControlledElevatorLandingUuid, label }) {
    await services.accessControl.elevatorLandings.removeLabel(
      orgUuid,
      accessControlledElevatorLandingUuid,
      label,
    );
    return {};
  },
});

export const ELEVATOR_LANDING_ENDPOINTS: readonly Endpoint[] = [
  findAccessControlledElevatorLandingsByLocation,
  findAccessControlledElevatorLandingShadows,
  findAccessControlledElevatorLandingShadowsByLocation,
  getAccessControlledElevatorLandingLabelsForOrg,
  addAccessControlledElevatorLandingLabel,
  removeAccessControlledElevatorLandingLabel,
];
