/** POST /api/camera/getMinimalCameraStateList: the cameras with their state and their share counts. */

import { Type } from 'typebox';
import { flag, listOf, namedType } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { cameraStateAnswer } from '../types/camera-state.ts';
import {
  cameraHealth,
  DEVICE_STATE_PROPERTIES,
  deviceStateAnswer,
  EXAMPLE_CAMERA_REPORT,
} from '../types/device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const DEVICE_STATE_SCHEMA = namedType('MinimalDeviceState', DEVICE_STATE_PROPERTIES);

export const getMinimalCameraStateList = defineEndpoint({
  path: '/api/camera/getMinimalCameraStateList',
  summary: 'Lists the cameras with their state.',
  description:
    'Includes doorbell cameras. `connectionStatus` is GREEN while the camera is streaming, or if it is closed ' +
    'because no one is watching and its last contact succeeded; YELLOW while it is being opened; ORANGE if no one ' +
    'has contacted it since the gateway started or its URL changed; RED if the last contact failed. ' +
    '`connectionDetail` says why.',
  request: Type.Object({
    includeMummified: Type.Optional(flag('Whether to include removed cameras. Default false.')),
  }),
  response: { cameraStates: listOf(DEVICE_STATE_SCHEMA, 'The cameras, sorted by name.') },
  example: {
    request: {},
    response: {
      cameraStates: [
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
      ],
    },
  },
  async handler({ orgUuid, services }, { includeMummified = false }) {
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified });
    return { cameraStates: states.map(cameraStateAnswer) };
  },
});
