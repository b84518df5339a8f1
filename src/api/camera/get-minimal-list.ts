/** POST /api/camera/getMinimalList: the cameras, in brief. */

import { type Static, Type } from 'typebox';
import { flag, listOf, namedType, nullable, oneOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { cameraStateAnswer } from '../types/camera-state.ts';
import {
  cameraHealth,
  DEVICE_STATE_PROPERTIES,
  type DeviceState,
  deviceStateAnswer,
  EXAMPLE_CAMERA_REPORT,
} from '../types/device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

/** This older type has neither YELLOW nor the newer health details. */
const STATUSES = ['RED', 'ORANGE', 'GREEN'] as const;
const HEALTH_DETAILS = ['DISCONNECTED', 'FIRMWARE_BEHIND', 'NONE'] as const;

const MINIMAL_CAMERA_SCHEMA = namedType('MinimalCamera', {
  uuid: DEVICE_STATE_PROPERTIES.uuid,
  name: DEVICE_STATE_PROPERTIES.name,
  serialNumber: DEVICE_STATE_PROPERTIES.serialNumber,
  locationUuid: DEVICE_STATE_PROPERTIES.locationUuid,
  policyUuid: DEVICE_STATE_PROPERTIES.policyUuid,
  mummified: DEVICE_STATE_PROPERTIES.mummified,
  liveStreamShared: DEVICE_STATE_PROPERTIES.liveStreamShared,
  connectionStatus: nullable(
    oneOf(
      STATUSES,
      'GREEN: the gateway can reach it. ORANGE: it is being opened, or no one has checked yet. RED: it is offline.',
    ),
  ),
  healthStatus: nullable(oneOf(STATUSES, 'Whether it works as it should.')),
  healthStatusDetails: nullable(oneOf(HEALTH_DETAILS, 'What is wrong.')),
  floorNumber: DEVICE_STATE_PROPERTIES.floorNumber,
  latitude: DEVICE_STATE_PROPERTIES.latitude,
  longitude: DEVICE_STATE_PROPERTIES.longitude,
  defaultInterface: DEVICE_STATE_PROPERTIES.defaultInterface,
  defaultInterfaceMac: DEVICE_STATE_PROPERTIES.defaultInterfaceMac,
  lanAddresses: DEVICE_STATE_PROPERTIES.lanAddresses,
  mediaRegion: DEVICE_STATE_PROPERTIES.mediaRegion,
  region: DEVICE_STATE_PROPERTIES.region,
  ssid: DEVICE_STATE_PROPERTIES.ssid,
  wifiApMac: DEVICE_STATE_PROPERTIES.wifiApMac,
  wifiBars: DEVICE_STATE_PROPERTIES.wifiBars,
  wifiSignalStrength: DEVICE_STATE_PROPERTIES.wifiSignalStrength,
});

export const getMinimalList = defineEndpoint({
  path: '/api/camera/getMinimalList',
  summary: 'Lists the cameras, in brief.',
  description:
    'Includes doorbell cameras. `/api/camera/getMinimalCameraStateList` says more about each, such as why it is ' +
    'offline.',
  request: Type.Object({
    includeMummified: Type.Optional(flag('Whether to include removed cameras. Default false.')),
  }),
  response: { cameras: listOf(MINIMAL_CAMERA_SCHEMA, 'The cameras, sorted by name.') },
  example: {
    request: {},
    response: {
      cameras: [
        minimalCameraAnswer(
          deviceStateAnswer(
            {
              uuid: EXAMPLE_CAMERA_UUID,
              name: 'Lobby',
              serialNumber: null,
              createdAtMs: EXAMPLE_TIME_MS,
              locationUuid: EXAMPLE_LOCATION_UUID,
              mummified: false,
              supportedFacets: ['v0'],
            },
            2,
            cameraHealth(EXAMPLE_CAMERA_REPORT),
          ),
        ),
      ],
    },
  },
  async handler({ orgUuid, services }, { includeMummified = false }) {
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified });
    return { cameras: states.map((state) => minimalCameraAnswer(cameraStateAnswer(state))) };
  },
});

function minimalCameraAnswer(state: DeviceState): Static<typeof MINIMAL_CAMERA_SCHEMA> {
  const { healthStatusDetails: details } = state;
  return {
    uuid: state.uuid,
    name: state.name,
    serialNumber: state.serialNumber,
    locationUuid: state.locationUuid,
    policyUuid: state.policyUuid,
    mummified: state.mummified,
    liveStreamShared: state.liveStreamShared,
    connectionStatus: statusAnswer(state.connectionStatus),
    healthStatus: statusAnswer(state.healthStatus),
    healthStatusDetails:
      details === null ? null : (HEALTH_DETAILS.find((known) => known === details) ?? 'NONE'),
    floorNumber: state.floorNumber,
    latitude: state.latitude,
    longitude: state.longitude,
    defaultInterface: state.defaultInterface,
    defaultInterfaceMac: state.defaultInterfaceMac,
    lanAddresses: state.lanAddresses,
    mediaRegion: state.mediaRegion,
    region: state.region,
    ssid: state.ssid,
    wifiApMac: state.wifiApMac,
    wifiBars: state.wifiBars,
    wifiSignalStrength: state.wifiSignalStrength,
  };
}

function statusAnswer(status: DeviceState['connectionStatus']): (typeof STATUSES)[number] | null {
  return status === 'YELLOW' ? 'ORANGE' : status;
}
