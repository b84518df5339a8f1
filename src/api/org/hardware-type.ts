/** Announced hardware in responses. */

import type { Static } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import type { PendingRegistration } from '../../devices/pending-registrations.ts';
import { int32, int64, namedType, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { DEVICE_TYPE_SCHEMA } from '../types/registered-device-type.ts';

const UNKNOWN = 'Always absent.';

export const HARDWARE_SCHEMA = namedType('Hardware', {
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

export const HARDWARE_WITH_INFO_SCHEMA = namedType('HardwareWithPendingRegistrationInfo', {
  hwUuid: ruuid('The hardware.'),
  hardware: HARDWARE_SCHEMA,
  pendingRegistrationInfo: PENDING_REGISTRATION_INFO_SCHEMA,
});

export function hardwareAnswer(registration: PendingRegistration): Static<typeof HARDWARE_SCHEMA> {
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

export function hardwareWithInfoAnswer(
  registration: PendingRegistration,
): Static<typeof HARDWARE_WITH_INFO_SCHEMA> {
  const { locationUuid, policyUuid } = registration.body;
  return {
    hwUuid: registration.uuid,
    hardware: hardwareAnswer(registration),
    pendingRegistrationInfo: { name: registration.name, locationUuid, policyUuid },
  };
}

export const EXAMPLE_REGISTRATION: PendingRegistration = {
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
