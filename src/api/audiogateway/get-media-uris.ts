/** POST /api/audiogateway/getMediaUris: where the audio of a device is. */

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

export const getAudioGatewayMediaUris = defineEndpoint({
  path: '/api/audiogateway/getMediaUris',
  summary: "Returns the URIs of a device's audio.",
  description:
    'Like `/api/camera/getMediaUris`. Audio comes from cameras, so `gatewayUuid` is a camera, perhaps with a facet such ' +
    'as `.a0`, and its media contain its video too.',
  request: Type.Object(deviceNames('gatewayUuid', 'The camera whose audio is wanted.')),
  response: MEDIA_URIS_PROPERTIES,
  example: { request: { gatewayUuid: EXAMPLE_CAMERA_UUID }, response: EXAMPLE_MEDIA_URIS },
  async handler(context, { gatewayUuid, deviceUuid }) {
    const device = namedDevice('gatewayUuid', gatewayUuid, deviceUuid);
    const { camera } = await context.services.devices.findCamera(context.orgUuid, device);
    return mediaUrisOf(context, camera.uuid);
  },
});
