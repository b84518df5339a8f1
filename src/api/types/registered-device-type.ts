/** Cameras and NVRs as records (Camera, NVRExternal), in addition to their states. */

import { type Static, Type } from 'typebox';
import { type KnownDetails, NO_DEVICE_DETAILS } from '../../devices/device-details.ts';
import { DEVICE_TYPES } from '../../devices/device-types.ts';
import { nullableFields, responseFields } from '../../http/fields/field-groups.ts';
import {
  double,
  flag,
  int32,
  int64,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { Camera, Nvr } from '../../store/entities.ts';
import {
  REPORTED_NVR_FIELDS,
  REPORTED_RECORD_FIELDS,
  REPORTED_STATE_FIELDS,
} from './device-report-fields.ts';

/** DeviceTypeEnum. */
export const DEVICE_TYPE_SCHEMA = oneOf(DEVICE_TYPES, 'Its type.');

const REPORTED_IN_RECORDS = {
  ...REPORTED_RECORD_FIELDS,
  hwVariation: REPORTED_STATE_FIELDS.hwVariation,
  mediaStorageDeviceUuid: REPORTED_STATE_FIELDS.mediaStorageDeviceUuid,
};
const { numThirdPartyCamerasSupported: _ofStates, ...REPORTED_IN_NVR_RECORDS } = REPORTED_NVR_FIELDS;

const RECORD_PROPERTIES = {
  uuid: ruuid('The device.'),
  name: plainText('Its name.'),
  type: DEVICE_TYPE_SCHEMA,
  description: nullable(plainText('What it is for.')),
  customData: nullable(plainText('Free text for the integration.')),
  createdAtMillis: int64('When it was registered, epoch milliseconds.'),
  locationUuid: nullable(ruuid('Where it is.')),
  subLocationsHierarchyKey: nullable(plainText('Its sublocation.')),
  floorNumber: nullable(int32('The floor it is on.')),
  directionRadians: nullable(double('The direction that it faces, clockwise from north.')),
  deviceFacetRadians: mapOf(double('Radians.'), 'The direction that each facet faces; empty if not known.'),
  latitude: nullable(double('Degrees north.')),
  longitude: nullable(double('Degrees east.')),
  facetNameMap: mapOf(plainText('Name.'), 'Names of facets.'),
  policyUuid: nullable(ruuid('The alert policy assigned to it.')),
  mummified: flag('True if it was removed but stays listed.'),
  deleted: flag('False: deleted devices are not listed.'),
  pending: flag('True while it is announced but not used yet.'),
  serialNumber: nullable(plainText('Its serial number.')),
  ...nullableFields(REPORTED_IN_RECORDS),
  unregisteredEmailSent: flag('False: the gateway sends no email.'),
};

export const CAMERA_SCHEMA = namedType('Camera', {
  ...RECORD_PROPERTIES,
  orgUuid: ruuid('The organization.'),
  hardwareId: nullable(plainText('Its serial number, if it reported one.')),
});

export const NVR_EXTERNAL_SCHEMA = namedType('NVRExternal', {
  ...RECORD_PROPERTIES,
  ...nullableFields(REPORTED_IN_NVR_RECORDS),
});

const RECORD_SCHEMA = Type.Object(RECORD_PROPERTIES);

export function cameraResponse(camera: Camera, details?: KnownDetails): Static<typeof CAMERA_SCHEMA> {
  return {
    ...recordResponse(camera, 'CAMERA', null, details),
    orgUuid: camera.orgUuid,
    hardwareId: details?.report?.serialNumber ?? null,
  };
}

/** `isPending`: announced, but no camera has been assigned to it yet. */
export function nvrResponse(
  nvr: Nvr,
  details?: KnownDetails,
  isPending = false,
): Static<typeof NVR_EXTERNAL_SCHEMA> {
  return {
    ...recordResponse(nvr, 'NVR', nvr.serialNumber, details),
    pending: isPending,
    ...responseFields(REPORTED_IN_NVR_RECORDS, details?.report ?? {}),
  };
}

function recordResponse(
  device: Camera | Nvr,
  type: 'CAMERA' | 'NVR',
  serialNumber: string | null,
  details: KnownDetails = NO_DEVICE_DETAILS,
): Static<typeof RECORD_SCHEMA> {
  const { directionRadians } = details;
  return {
    uuid: device.uuid,
    name: device.name,
    type,
    description: details.description,
    customData: details.customData,
    createdAtMillis: device.createdAtMs,
    locationUuid: device.locationUuid,
    subLocationsHierarchyKey: details.subLocationsHierarchyKey,
    floorNumber: details.floorNumber,
    directionRadians,
    deviceFacetRadians: directionRadians === null || type === 'NVR' ? {} : { v0: directionRadians },
    latitude: details.latitude,
    longitude: details.longitude,
    facetNameMap: { ...details.facetNameMap },
    policyUuid: details.policyUuid,
    mummified: device.mummified,
    deleted: false,
    pending: false,
    serialNumber: serialNumber ?? details.report?.serialNumber ?? null,
    ...responseFields(REPORTED_IN_RECORDS, details.report ?? {}),
    unregisteredEmailSent: false,
  };
}
