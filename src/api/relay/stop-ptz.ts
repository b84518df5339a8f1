/** POST /api/relay/stopPtz: stops a camera that moves. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { PTZ_CAMERA_INPUT } from './ptz-types.ts';

export const stopPtz = defineEndpoint({
  path: '/api/relay/stopPtz',
  summary: 'Stops a camera that moves.',
  description:
    'All axes, whoever moved it. Moves that wait are dropped. Fails like `getPtzStatus`, and is not limited.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: PTZ_CAMERA_INPUT }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid }) {
    await services.ptz.stop(orgUuid, cameraUuid);
    return {};
  },
});
