/** POST /api/camera/getCameraMediaUris: `getMediaUris` under the name that newer clients call. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import {
  deviceNames,
  EXAMPLE_MEDIA_URIS,
  MEDIA_URIS_PROPERTIES,
  mediaUrisOf,
  namedDevice,
} from '../types/media-uris.ts';

export const getCameraMediaUrisOfNewerClients = defineEndpoint({
  path: '/api/camera/getCameraMediaUris',
  summary: "Returns the URIs of a camera's media.",
  description: 'Like `/api/camera/getMediaUris`.',
  request: Type.Object(deviceNames('cameraUuid', 'The camera.')),
  response: MEDIA_URIS_PROPERTIES,
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: EXAMPLE_MEDIA_URIS },
  async handler(context, { cameraUuid, deviceUuid }) {
    const device = namedDevice('cameraUuid', cameraUuid, deviceUuid);
    const { camera } = await context.services.devices.findCamera(context.orgUuid, device);
    return mediaUrisOf(context, camera.uuid);
  },
});
