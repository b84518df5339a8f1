/** Kinds of report about doors, credentials, counts, sales, and licenses. */

import { Type } from 'typebox';
import { defineIngestKind, MAX_ROW_ID_LENGTH, rowId, timeMs } from '../../api/ingest/define-ingest-kind.ts';
import { longText } from '../../api/types/device-update.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { DEVICE_TYPES } from '../../devices/device-types.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  oneOf,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import { CROSSING_DIRECTIONS, CROSSING_OBJECTS } from '../../store/crossing.ts';
import { CREDENTIAL_TYPES } from '../access-control/credential.ts';
import {
  componentEventReportRules,
  credentialReportRules,
  doorReportRules,
  landingReportRules,
  revocationReportRules,
} from '../access-control/report-rules.ts';
import {
  ADD_ON_LICENSES,
  LICENSE_FAMILIES,
  PERCEPTION_TYPES,
  PRODUCT_TYPES,
  UNASSIGN_EMAIL_STATES,
} from '../devices/license.ts';
import { licenseReportRules, tagReportRules } from '../devices/report-rules.ts';
import { crossingReportRules, occupancyReportRules, saleReportRules } from '../reports/report-rules.ts';
import { COMPONENT_EVENT_TYPES } from './component-events.ts';
import { CREDENTIAL_FIELDS, EXAMPLE_CREDENTIAL_UUID, REVOCATION_FIELDS } from './credentials.ts';
import {
  DOOR_REPORTED_FIELDS,
  DOOR_SETTING_FIELDS,
  EXAMPLE_DOOR_CONTROLLER_UUID,
  EXAMPLE_DOOR_UUID,
} from './doors.ts';
import { EXAMPLE_LANDING_UUID, LANDING_FIELDS, LANDING_SHADOW_FIELDS } from './elevator-landings.ts';
import { MAX_POS_CAMERAS, POS_TEXT_FIELDS } from './occupancy-and-sales.ts';

/** Access controlled doors, as reported by the devices that operate them. */
export const doors = defineIngestKind({
  name: 'doors',
  summary: 'Reports access controlled doors.',
  description:
    'Read by `/api/component/findAccessControlledDoorsByOwnerDevice`, changed by ' +
    '`/api/component/updateAccessControlledDoor`. A door whose `uuid` is already known counts as a duplicate: it ' +
    'keeps its settings and takes from the row its owner, its location and what only its device knows, such as ' +
    'overrides.',
  row: Type.Object({
    uuid: ruuid('The door.'),
    ownerDeviceUuid: ruuid('The device that operates it.'),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    ...optionalFields(DOOR_SETTING_FIELDS),
    ...optionalFields(DOOR_REPORTED_FIELDS),
  }),
  example: {
    uuid: EXAMPLE_DOOR_UUID,
    ownerDeviceUuid: EXAMPLE_DOOR_CONTROLLER_UUID,
    locationUuid: EXAMPLE_LOCATION_UUID,
    name: 'Loading dock',
    unlockTimeSec: 5,
  },
  rules: doorReportRules,
});

/** Access controlled elevator landings, as reported by the devices that operate them. */
export const elevatorLandings = defineIngestKind({
  name: 'elevatorLandings',
  summary: 'Reports access controlled elevator landings.',
  description:
    'Read by the endpoints under `/api/component/elevator/`. A landing whose `uuid` is already known counts as a ' +
    'duplicate: the row’s fields replace its own, and its other fields and its labels stay.',
  row: Type.Object({
    uuid: ruuid('The landing.'),
    ownerDeviceUuid: ruuid('The device that operates it.'),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    ...optionalFields(LANDING_FIELDS),
    shadow: Type.Optional(Type.Object(optionalFields(LANDING_SHADOW_FIELDS))),
  }),
  example: {
    uuid: EXAMPLE_LANDING_UUID,
    ownerDeviceUuid: deriveRuuid('example', 'elevator controller'),
    locationUuid: EXAMPLE_LOCATION_UUID,
    name: 'Elevator A, floor 3',
    floorNumber: 3,
    shadow: { state: { source: 'DEFAULT_STATE', state: 'ACCESS_CONTROLLED' } },
  },
  rules: landingReportRules,
});

/** Credentials that open doors. */
export const credentials = defineIngestKind({
  name: 'credentials',
  summary: 'Reports credentials.',
  description:
    'Read by `/api/accesscontrol/getStandardCsnCredentialDetails`. Values are encrypted at rest. A credential whose ' +
    '`uuid` is already known counts as a duplicate: the row’s fields replace its own, and its other fields stay.',
  row: Type.Object({
    uuid: ruuid('The credential.'),
    type: oneOf(CREDENTIAL_TYPES, 'Its type.'),
    value: text(
      'Its value: for a card serial number, hexadecimal digits; `:`, `-` or a space can separate the pairs.',
    ),
    ...optionalFields(CREDENTIAL_FIELDS),
  }),
  example: {
    uuid: EXAMPLE_CREDENTIAL_UUID,
    type: 'STANDARD_CSN',
    value: '04:A2:3B:C1',
    workflowStatus: 'ACTIVE',
  },
  rules: credentialReportRules,
});

/** Location access revocations: who cannot enter which location. */
export const accessRevocations = defineIngestKind({
  name: 'accessRevocations',
  summary: 'Reports location access revocations.',
  description:
    'Read by `/api/accesscontrol/findLocationAccessRevocationsByOrg`. A revocation whose `uuid` is already known ' +
    'counts as a duplicate: the row’s fields replace its own, and its other fields stay.',
  row: Type.Object({
    uuid: ruuid('The revocation.'),
    name: text('Its name.', MAX_NAME_LENGTH),
    locationUuid: Type.Optional(ruuid('The location.')),
    ...optionalFields(REVOCATION_FIELDS),
  }),
  example: {
    uuid: deriveRuuid('example', 'access revocation'),
    name: 'Contractors at night',
    locationUuid: EXAMPLE_LOCATION_UUID,
    groupUuids: [deriveRuuid('example', 'group')],
  },
  rules: revocationReportRules,
});

/** Proximity tags: wearables that are detected nearby. */
export const proximityTags = defineIngestKind({
  name: 'proximityTags',
  summary: 'Reports proximity tags.',
  description:
    'Change tags with `/api/proximity/updateDetails`: a tag whose `uuid` is already known counts as a duplicate and ' +
    'stays as it is. `uuid` is unique among the organization’s tags.',
  row: Type.Object({
    uuid: ruuid('The tag.'),
    name: text('Its name.', MAX_NAME_LENGTH),
    description: Type.Optional(longText('Who carries it or what it is for.')),
    policyUuid: Type.Optional(alertPolicy('The alert policy assigned to it.')),
  }),
  example: { uuid: deriveRuuid('example', 'proximity tag'), name: 'Porter 3' },
  rules: tagReportRules,
});

/** Threshold crossings: an object that crossed a line in a camera's view. */
export const thresholdCrossings = defineIngestKind({
  name: 'thresholdCrossings',
  summary: 'Reports objects that crossed a threshold.',
  description:
    'Read by the reports under `/api/report/`. `id` is unique among the crossings of the device and facet; objects ' +
    'that the camera recognizes again keep their `objectId`, so that reports can leave out repetitions.',
  row: Type.Object({
    id: rowId('The crossing.'),
    deviceUuid: deviceFacetUuid('The camera that saw it.'),
    timestampMs: timeMs('When it crossed.'),
    crossingObject: oneOf(CROSSING_OBJECTS, 'What crossed.'),
    objectId: int32('The ID that the camera tracks it by.', 0),
    direction: oneOf(CROSSING_DIRECTIONS, 'Whether it came in or went out.'),
  }),
  example: {
    id: 'crossing-1',
    deviceUuid: EXAMPLE_CAMERA_UUID,
    timestampMs: EXAMPLE_TIME_MS,
    crossingObject: 'HUMAN',
    objectId: 17,
    direction: 'INGRESS',
  },
  rules: crossingReportRules,
});

const MAX_OCCUPANCY = 1_000_000;

/** Occupancy counts: how many people a device saw at one time. */
export const occupancyCounts = defineIngestKind({
  name: 'occupancyCounts',
  summary: 'Reports how many people devices see.',
  description:
    'Read by `/api/report/getOccupancyCountsV2`. The device can be a sensor that the gateway does not know. `id` is ' +
    'unique among the counts of the device and facet.',
  row: Type.Object({
    id: rowId('The count.'),
    deviceUuid: deviceFacetUuid('The device that counted.'),
    timestampMs: timeMs('When it counted.'),
    occupancy: int32('How many people were there.', 0, MAX_OCCUPANCY),
  }),
  example: { id: 'count-1', deviceUuid: EXAMPLE_CAMERA_UUID, timestampMs: EXAMPLE_TIME_MS, occupancy: 4 },
  rules: occupancyReportRules,
});

/** Component events: what readers, relays and sensors of doors report. */
export const componentEvents = defineIngestKind({
  name: 'componentEvents',
  summary: 'Reports events at doors.',
  description:
    'Read by `/api/component/findPaginatedComponentEventsByAccessControlledDoor`. `uuid` is unique among the ' +
    'organization’s component events.',
  row: Type.Object({
    uuid: ruuid('The event. One that is already known counts as a duplicate and changes nothing.'),
    accessControlledDoorUuid: ruuid('The door.'),
    type: oneOf(COMPONENT_EVENT_TYPES, 'What happened.'),
    timestampMs: timeMs('When it happened.'),
    createdAtMs: Type.Optional(timeMs('When it was recorded; default: `timestampMs`.')),
    componentUuid: Type.Optional(ruuid('The component it happened to; default: the door.')),
    ownerDeviceUuid: Type.Optional(ruuid('The device that owns the component.')),
    locationUuid: Type.Optional(ruuid('The location.')),
    userUuid: Type.Optional(ruuid('The user involved, such as the owner of a credential.')),
    correlationId: Type.Optional(text('An ID that events with the same cause share.')),
  }),
  example: {
    uuid: deriveRuuid('example', 'component event'),
    accessControlledDoorUuid: deriveRuuid('example', 'door'),
    type: 'DoorStateChangeEvent',
    timestampMs: EXAMPLE_TIME_MS,
  },
  rules: componentEventReportRules,
});

const POS_ROW = Type.Object({
  id: rowId('The row.'),
  businessDate: text('The business day: `2026-01-31` or `20260131`.', 10),
  restaurantGuid: text('The restaurant or store, by its ID in the point-of-sale system.'),
  failed: Type.Optional(
    flag(
      'Whether the restaurant’s day could not be read: `failedGuids` names the restaurant until a later row of it ' +
        'arrives.',
    ),
  ),
  assignedCameraList: Type.Optional(
    listOf(
      deviceUuid('Camera.'),
      `Cameras that see the register, at most ${MAX_POS_CAMERAS}.`,
      MAX_POS_CAMERAS,
    ),
  ),
  ...optionalFields(POS_TEXT_FIELDS),
});

/** Point-of-sale rows: what registers of restaurants and stores recorded. */
export const posEvents = defineIngestKind({
  name: 'posEvents',
  summary: 'Reports rows of point-of-sale systems.',
  description:
    'Read by `/api/report/getPosEventsTableAllLocations`. `id` is unique among the organization’s rows. If an ' +
    'integration cannot read a restaurant’s day, it reports a row with `failed: true`.',
  row: POS_ROW,
  example: {
    id: 'order-1',
    businessDate: '2026-01-01',
    restaurantGuid: 'restaurant-1',
    restaurantName: 'Harbour Café',
    orderGuid: 'order-1',
    employeeName: 'Kim',
    paymentType: 'CREDIT',
    totalAmount: '12.50',
    tipAmount: '2.00',
    totalDiscountAmount: '0.00',
    voided: 'false',
    timestamp: '2026-01-01T12:30:00Z',
    assignedCameraList: [EXAMPLE_CAMERA_UUID],
  },
  rules: saleReportRules,
});

const perceptionTypes = (description: string) =>
  Type.Optional(listOf(oneOf(PERCEPTION_TYPES, 'Feature.'), description, PERCEPTION_TYPES.length));

const LICENSE_ROW = Type.Object({
  id: text('The license. A row whose id is known replaces what was reported before.', MAX_ROW_ID_LENGTH),
  deviceUuid: Type.Optional(deviceUuid('The device that it is assigned to.')),
  deviceType: Type.Optional(oneOf(DEVICE_TYPES, 'The type of that device.')),
  productCode: Type.Optional(text('What was bought.')),
  productType: Type.Optional(oneOf(PRODUCT_TYPES, 'The type of product.')),
  license: Type.Optional(oneOf(ADD_ON_LICENSES, 'What it allows.')),
  addOnLicenseType: Type.Optional(oneOf(ADD_ON_LICENSES, 'What it adds to a device that has a license.')),
  licenseFamily: Type.Optional(oneOf(LICENSE_FAMILIES, 'The devices that it is for.')),
  licenseToUnassignEmailState: Type.Optional(
    oneOf(UNASSIGN_EMAIL_STATES, 'The state of the emails that warn of its removal from the device.'),
  ),
  claimKeyUuid: Type.Optional(ruuid('The claim key that it came with.')),
  priorClaimKeyUuid: Type.Optional(ruuid('The claim key before its renewal.')),
  cloudArchiveDays: Type.Optional(int32('How many days recordings are kept.', 0)),
  trial: Type.Optional(flag('True if it is a trial.')),
  additionalPerceptionFeatures: perceptionTypes('Analytics in addition to its own.'),
  perceptionTypes: perceptionTypes('Analytics that it allows.'),
  firstAssignedAtMs: Type.Optional(timeMs('When it was first assigned to a device.')),
  expiresAtMs: Type.Optional(timeMs('When it expires.')),
  maxDeleteAtMs: Type.Optional(timeMs('When it expires permanently.')),
  returnRequested: Type.Optional(flag('True if its return was requested.')),
  renewalDeclined: Type.Optional(flag('True if it will not be renewed.')),
});

/** Licenses: an organization's purchases and their events. */
export const licenses = defineIngestKind({
  name: 'licenses',
  summary: 'Reports licenses of the organization.',
  description:
    'Read by `/api/partner/getLicensesForOrg`, which computes their state from the dates and decisions given here. `id` ' +
    'is unique among the organization’s licenses.',
  row: LICENSE_ROW,
  example: {
    id: 'L-1',
    deviceUuid: EXAMPLE_CAMERA_UUID,
    deviceType: 'CAMERA',
    productCode: 'CAM-1Y',
    productType: 'DEVICE',
    cloudArchiveDays: 30,
    firstAssignedAtMs: EXAMPLE_TIME_MS,
  },
  rules: licenseReportRules,
});
