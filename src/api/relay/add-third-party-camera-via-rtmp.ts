/** POST /api/relay/addThirdPartyCameraViaRtmp: a camera whose device pushes its video. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID } from '../types/examples.ts';
import { EXAMPLE_PUBLISH_KEY, PUBLISH_KEY_SCHEMA, WHERE_DEVICES_PUSH } from './publish-key-type.ts';

export const addThirdPartyCameraViaRtmp = defineEndpoint({
  path: '/api/relay/addThirdPartyCameraViaRtmp',
  summary: 'Creates a camera whose device pushes its video by RTMP.',
  description:
    `The camera has a publish key in place of an address. ${WHERE_DEVICES_PUSH} The gateway listens for RTMP while a ` +
    'camera has a publish key. `/api/camera/delete` removes the camera.',
  repetition: 'once',
  request: Type.Object({
    name: text('Its name.', MAX_NAME_LENGTH),
    nvrUuid: Type.Optional(ruuid('The NVR to assign it to; default: none.')),
    locationUuid: Type.Optional(ruuid('Where it is; default: the NVR’s location.')),
  }),
  response: { deviceUuid: deviceFacetUuid('The new camera.'), publishKey: PUBLISH_KEY_SCHEMA },
  isExtension: true,
  example: {
    request: { name: 'Loading dock', nvrUuid: EXAMPLE_NVR_UUID },
    response: { deviceUuid: EXAMPLE_CAMERA_UUID, publishKey: EXAMPLE_PUBLISH_KEY },
  },
  async handler({ orgUuid, services }, body) {
    const { cameraUuid, key } = await services.pushedCameras.add(orgUuid, body);
    return { deviceUuid: cameraUuid, publishKey: key.reveal() };
  },
});
