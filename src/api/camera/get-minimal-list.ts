/** POST /api/camera/getMinimalList: the cameras, in brief. */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf, namedType, nullable, oneOf } from '../../http/fields/field-types.ts';
import { cameraStateAnswer, EXAMPLE_CAMERA_STATE } from '../types/camera-state.ts';
import { DEVICE_STATE_PROPERTIES, type DeviceState } from '../types/device-state.ts';

/** This older type has neither YELLOW nor the newer health details. */
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
      'GREEN: the gateway can reach it. ORANGE: it is being opened, or no one has checked yet. RED: it is offline.',
    ),
  ),
  healthStatus: nullable(oneOf(STATUSES, 'Whether it works as it should.')),
  healthStatusDetails: nullable(oneOf(HEALTH_DETAILS, 'What is wrong.')),
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
      cameras: [minimalCameraAnswer(EXAMPLE_CAMERA_STATE)],
    },
  },
  async handler(context, { includeMummified = false }) {
    const { orgUuid, services } = context;
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified });
    return { cameras: states.map((state) => minimalCameraAnswer(cameraStateAnswer(context, state))) };
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
