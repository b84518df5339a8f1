/** POST /api/camera/getMinimalCameraStateList: the cameras with their state and their share counts. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf } from '../../http/fields/field-types.ts';
import { CAMERA_STATE_SCHEMA, cameraStateAnswer, EXAMPLE_CAMERA_STATE } from '../types/camera-state.ts';

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
  response: { cameraStates: listOf(CAMERA_STATE_SCHEMA, 'The cameras, sorted by name.') },
  example: {
    request: {},
    response: {
      cameraStates: [EXAMPLE_CAMERA_STATE],
    },
  },
  async handler(context, { includeMummified = false }) {
    const { orgUuid, services } = context;
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified });
    return { cameraStates: states.map((state) => cameraStateAnswer(context, state)) };
  },
});
