/** POST /api/camera/getMediaUris: where a camera's media are. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import {
  deviceNames,
  EXAMPLE_MEDIA_URIS,
  MEDIA_URIS_DESCRIPTION,
  MEDIA_URIS_PROPERTIES,
  mediaUrisOf,
  namedDevice,
} from '../types/media-uris.ts';

export const getCameraMediaUris = defineEndpoint({
  path: '/api/camera/getMediaUris',
  summary: "Returns the URIs of a camera's media.",
  description: MEDIA_URIS_DESCRIPTION,
  request: Type.Object(deviceNames('cameraUuid', 'The camera.')),
  response: MEDIA_URIS_PROPERTIES,
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: EXAMPLE_MEDIA_URIS },
  async handler(context, { cameraUuid, deviceUuid }) {
    const device = namedDevice('cameraUuid', cameraUuid, deviceUuid);
    const { camera } = await context.services.devices.findCamera(context.orgUuid, device);
    return mediaUrisOf(context, camera.uuid);
  },
});
