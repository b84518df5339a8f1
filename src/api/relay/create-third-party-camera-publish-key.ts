/** POST /api/relay/createThirdPartyCameraPublishKey: a new publish key for a camera whose device pushes its video. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { EXAMPLE_PUBLISH_KEY, PUBLISH_KEY_SCHEMA, WHERE_DEVICES_PUSH } from './publish-key-type.ts';

export const createThirdPartyCameraPublishKey = defineEndpoint({
  path: '/api/relay/createThirdPartyCameraPublishKey',
  summary: 'Gives a camera a new publish key.',
  description:
    'The earlier key stops working right away, and a device that pushes with it is disconnected. Only for cameras ' +
    `that \`/api/relay/addThirdPartyCameraViaRtmp\` created. ${WHERE_DEVICES_PUSH}`,
  repetition: 'once',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  response: { publishKey: PUBLISH_KEY_SCHEMA },
  isExtension: true,
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: { publishKey: EXAMPLE_PUBLISH_KEY } },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const key = await services.pushedCameras.createKey(orgUuid, cameraUuid);
    return { publishKey: key.reveal() };
  },
});
