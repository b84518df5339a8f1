/** POST /api/camera/getMinimalCameraStateList: the cameras with their state and their shares' count. */

import { Type } from 'typebox';
import { flag, listOf, namedType } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { listCameraStates } from '../types/camera-state-list.ts';
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
    'Doorbell cameras are among them. `connectionStatus` is GREEN while the camera delivers pictures, or is closed ' +
    'because nobody watches and was good when it was last contacted; YELLOW while it is being opened; ORANGE when ' +
    'nobody has contacted it since the gateway started or its URL changed; RED when the last contact failed. ' +
    '`connectionDetail` says why.',
  request: Type.Object({
    includeMummified: Type.Optional(flag('Whether to list removed cameras too. Default false.')),
  }),
  response: { cameraStates: listOf(DEVICE_STATE_SCHEMA, 'The cameras, in order of their names.') },
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
  async handler(context, { includeMummified = false }) {
    return { cameraStates: await listCameraStates(context, includeMummified) };
  },
});
