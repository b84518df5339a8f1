/** Hardware that waits for its registration. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import type { PendingRegistration } from '../../devices/pending-registrations.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy, keptWithoutEffect } from '../../http/fields/no-effect.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { DEVICE_TYPE_SCHEMA } from '../types/registered-device-type.ts';

const UNKNOWN = 'Always absent.';

/** Announced hardware in responses. */
const HARDWARE_SCHEMA = namedType('Hardware', {
  uuid: ruuid('The hardware.'),
  type: DEVICE_TYPE_SCHEMA,
  serialNumber: plainText('Its serial number.'),
  deviceUuid: nullable(ruuid('The device that it became; absent while it is announced.')),
  orgUuid: nullable(ruuid('The organization of that device; absent while it is announced.')),
  pendingRegistrationDeviceUuid: nullable(ruuid('The NVR that it will become.')),
  pendingRegistrationOrgUuid: nullable(ruuid('The organization that announced it.')),
  pendingRegistrationToken: nullable(ruuid(UNKNOWN)),
  enforcedMinFirmwareVersion: nullable(plainText(UNKNOWN)),
  firmwareUpdateTimeMs: nullable(int64(UNKNOWN)),
  firmwareVersion: nullable(plainText(UNKNOWN)),
  hwSupportDomain: nullable(plainText(UNKNOWN)),
  hwVariation: nullable(plainText(UNKNOWN)),
  mac: nullable(plainText(UNKNOWN)),
  manufacturedAtMillis: nullable(int64(UNKNOWN)),
  sdSize: nullable(int32(UNKNOWN)),
});

const PENDING_REGISTRATION_INFO_SCHEMA = namedType('PendingRegistrationInfo', {
  name: plainText('Its future name.'),
  locationUuid: nullable(ruuid('Where it will be.')),
  policyUuid: nullable(ruuid('Its future alert policy.')),
});

const HARDWARE_WITH_INFO_SCHEMA = namedType('HardwareWithPendingRegistrationInfo', {
  hwUuid: ruuid('The hardware.'),
  hardware: HARDWARE_SCHEMA,
  pendingRegistrationInfo: PENDING_REGISTRATION_INFO_SCHEMA,
});

function hardwareResponse(registration: PendingRegistration): Static<typeof HARDWARE_SCHEMA> {
  return {
    uuid: registration.uuid,
    type: 'NVR',
    serialNumber: registration.body.serialNumber,
    deviceUuid: null,
    orgUuid: null,
    pendingRegistrationDeviceUuid: registration.uuid,
    pendingRegistrationOrgUuid: registration.orgUuid,
    pendingRegistrationToken: null,
    enforcedMinFirmwareVersion: null,
    firmwareUpdateTimeMs: null,
    firmwareVersion: null,
    hwSupportDomain: null,
    hwVariation: null,
    mac: null,
    manufacturedAtMillis: null,
    sdSize: null,
  };
}

function hardwareWithInfoResponse(
  registration: PendingRegistration,
): Static<typeof HARDWARE_WITH_INFO_SCHEMA> {
  const { locationUuid, policyUuid } = registration.body;
  return {
    hwUuid: registration.uuid,
    hardware: hardwareResponse(registration),
    pendingRegistrationInfo: { name: registration.name, locationUuid, policyUuid },
  };
}

const EXAMPLE_REGISTRATION: PendingRegistration = {
  uuid: deriveRuuid('example', 'announced nvr'),
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'East wing',
  parentUuid: EXAMPLE_LOCATION_UUID,
  body: {
    serialNumber: 'NVR-0002',
    locationUuid: EXAMPLE_LOCATION_UUID,
    policyUuid: null,
    wifiSsid: null,
  },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

const findAllHardwareWithPendingRegistration = defineEndpoint({
  path: '/api/org/findAllHardwareWithPendingRegistration',
  summary: 'Lists NVRs that are announced but not used yet.',
  description: 'Both lists describe the same hardware, in the order in which it was announced.',
  request: Type.Object({}),
  response: {
    hardwareList: listOf(HARDWARE_SCHEMA, 'The hardware.'),
    hardwareWithPendingRegistrationInfoList: listOf(
      HARDWARE_WITH_INFO_SCHEMA,
      'The hardware with its future details.',
    ),
  },
  example: {
    request: {},
    response: {
      hardwareList: [hardwareResponse(EXAMPLE_REGISTRATION)],
      hardwareWithPendingRegistrationInfoList: [hardwareWithInfoResponse(EXAMPLE_REGISTRATION)],
    },
  },
  async handler({ orgUuid, services }) {
    const pending = await services.pendingRegistrations.list(orgUuid);
    return {
      hardwareList: LongList.of(pending).map(hardwareResponse),
      hardwareWithPendingRegistrationInfoList: LongList.of(pending).map(hardwareWithInfoResponse),
    };
  },
});

const MAX_WIFI_KEYS = 10;
const NO_SET_UP = 'the gateway does not set up hardware';

/** Announces an NVR (docs/spec/rules.md#nvrs). */
const createPendingRegistration = defineEndpoint({
  path: '/api/org/createPendingRegistration',
  summary: 'Announces an NVR by its serial number.',
  description:
    '`/api/org/findAllHardwareWithPendingRegistration` lists the announced NVR with its future UUID. It becomes an ' +
    'NVR when the first camera is assigned to it. Refused if the serial number is already announced or registered. ' +
    'The Wi-Fi keys are stored encrypted and never returned.',
  repetition: 'once',
  request: Type.Object({
    serialNumber: text('Its serial number.'),
    locationUuid: Type.Optional(ruuid('Where it will be.')),
    orgUuid: Type.Optional(
      ruuid('The organization that the request acts for, or a client of the calling partner.'),
    ),
    wifiSsid: Type.Optional(keptWithoutEffect(text('The Wi-Fi network that it should use.'), NO_SET_UP)),
    wifiPsk: Type.Optional(
      keptWithoutEffect(listOf(text('Key.'), 'Keys of that network.', MAX_WIFI_KEYS), NO_SET_UP),
    ),
  }),
  response: {},
  example: {
    request: { serialNumber: 'NVR-0002', locationUuid: EXAMPLE_LOCATION_UUID },
    response: {},
  },
  async handler({ caller, services }, body) {
    const orgUuid = await services.organizations.meant(caller, body.orgUuid);
    await services.pendingRegistrations.create(orgUuid, {
      serialNumber: body.serialNumber,
      locationUuid: body.locationUuid ?? null,
      wifiSsid: body.wifiSsid ?? null,
      wifiPsk: body.wifiPsk ?? [],
    });
    return {};
  },
});

const updatePendingRegistration = defineEndpoint({
  path: '/api/org/updatePendingRegistration',
  summary: 'Changes the future details of an announced NVR.',
  description: 'Absent fields stay as they are.',
  repetition: 'same-outcome',
  request: Type.Object({
    hardwareUuid: ruuid('The hardware.'),
    name: Type.Optional(text('Its future name.', MAX_NAME_LENGTH)),
    locationUuid: Type.Optional(ruuid('Where it will be.')),
    policyUuid: Type.Optional(alertPolicy('Its future alert policy.')),
  }),
  response: {},
  example: { request: { hardwareUuid: EXAMPLE_REGISTRATION.uuid, name: 'East wing' }, response: {} },
  async handler({ orgUuid, services }, { hardwareUuid, ...changes }) {
    await services.pendingRegistrations.update(orgUuid, hardwareUuid, changes);
    return {};
  },
});

const removePendingRegistration = defineEndpoint({
  path: '/api/org/removePendingRegistration',
  summary: 'Removes an announced NVR.',
  description:
    'If cameras are assigned to it, it is no longer announced: remove it with `/api/relay/unregister`.',
  repetition: 'same-outcome',
  request: Type.Object({ serialNumber: text('Its serial number.') }),
  response: {},
  example: { request: { serialNumber: EXAMPLE_REGISTRATION.body.serialNumber }, response: {} },
  async handler({ orgUuid, services }, { serialNumber }) {
    await services.pendingRegistrations.remove(orgUuid, serialNumber.trim());
    return {};
  },
});

export const PENDING_HARDWARE_ENDPOINTS: readonly Endpoint[] = [
  findAllHardwareWithPendingRegistration,
  createPendingRegistration,
  updatePendingRegistration,
  removePendingRegistration,
];
