/** POST /api/relay/deleteThirdPartyCameraPublishKey: a pushed camera without a publish key. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';

export const deleteThirdPartyCameraPublishKey = defineEndpoint({
  path: '/api/relay/deleteThirdPartyCameraPublishKey',
  summary: 'Deletes the publish key of a camera.',
  description:
    'It stops working right away, and a device that pushes with it is disconnected. The camera and its shares stay; ' +
    '`/api/relay/createThirdPartyCameraPublishKey` gives it another key.',
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  response: {},
  isExtension: true,
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid }) {
    await services.pushedCameras.deleteKey(orgUuid, cameraUuid);
    return {};
  },
});
