/** POST /api/camera/getMinimalList: the cameras in short. */

import { type Static, Type } from 'typebox';
import { flag, listOf, namedType, nullable, oneOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { cameraStateAnswer, EXAMPLE_CAMERA_STATE } from '../types/camera-state.ts';
import { DEVICE_STATE_PROPERTIES, type DeviceState } from '../types/device-state.ts';

/** This older type knows neither YELLOW nor what else may be wrong by now. */
const STATUSES = ['RED', 'ORANGE', 'GREEN'] as const;
const HEALTH_DETAILS = ['DISCONNECTED', 'FIRMWARE_BEHIND', 'NONE'] as const;

/** In the order of the type. */
const FIELDS = [
  'uuid',
  'name',
  'serialNumber',
  'locationUuid',
  'policyUuid',
  'mummified',
  'liveStreamShared',
  'connectionStatus',
  'healthStatus',
  'healthStatusDetails',
  'floorNumber',
  'latitude',
  'longitude',
  'defaultInterface',
  'defaultInterfaceMac',
  'lanAddresses',
  'mediaRegion',
  'region',
  'ssid',
  'wifiApMac',
  'wifiBars',
  'wifiSignalStrength',
] as const;

const MINIMAL_CAMERA_SCHEMA = namedType('MinimalCamera', {
  ...pick(DEVICE_STATE_PROPERTIES, FIELDS),
  connectionStatus: nullable(
    oneOf(
      STATUSES,
      'GREEN: the gateway reaches it. ORANGE: it is being opened, or nobody has checked yet. RED: it is offline.',
    ),
  ),
  healthStatus: nullable(oneOf(STATUSES, 'Whether it delivers what it should.')),
  healthStatusDetails: nullable(oneOf(HEALTH_DETAILS, 'What is wrong.')),
});

export const getMinimalList = defineEndpoint({
  path: '/api/camera/getMinimalList',
  summary: 'Lists the cameras in short.',
  description:
    'Doorbell cameras are among them. `/api/camera/getMinimalCameraStateList` says more of each, such as why it is offline.',
  request: Type.Object({
    includeMummified: Type.Optional(flag('Whether to list removed cameras too. Default false.')),
  }),
  response: { cameras: listOf(MINIMAL_CAMERA_SCHEMA, 'The cameras, in order of their names.') },
  example: {
    request: {},
    response: {
      cameras: [minimalCameraAnswer(EXAMPLE_CAMERA_STATE)],
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
    ...pick(state, FIELDS),
    connectionStatus: statusAnswer(state.connectionStatus),
    healthStatus: statusAnswer(state.healthStatus),
    healthStatusDetails:
      details === null ? null : (HEALTH_DETAILS.find((known) => known === details) ?? 'NONE'),
  };
}

function statusAnswer(status: DeviceState['connectionStatus']): (typeof STATUSES)[number] | null {
  return status === 'YELLOW' ? 'ORANGE' : status;
}

function pick<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as unknown as Pick<T, Name>;
}
