/** POST /api/camera/getMinimalCameraStateList: the cameras with their state and their shares' count. */

import { Type } from 'typebox';
import { flag, listOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { CAMERA_STATE_SCHEMA, cameraStateAnswer, EXAMPLE_CAMERA_STATE } from '../types/camera-state.ts';

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
  response: { cameraStates: listOf(CAMERA_STATE_SCHEMA, 'The cameras, in order of their names.') },
  example: {
    request: {},
    response: {
      cameraStates: [EXAMPLE_CAMERA_STATE],
    },
  },
  async handler({ orgUuid, services }, { includeMummified = false }) {
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified });
    return { cameraStates: states.map(cameraStateAnswer) };
  },
});
