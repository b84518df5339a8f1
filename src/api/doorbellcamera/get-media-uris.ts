/** POST /api/doorbellcamera/getMediaUris: where a doorbell camera's media are. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_DOORBELL_UUID } from '../types/examples.ts';
import { EXAMPLE_MEDIA_URIS, MEDIA_URIS_PROPERTIES, mediaUrisOf } from '../types/media-uris.ts';

export const getDoorbellMediaUris = defineEndpoint({
  path: '/api/doorbellcamera/getMediaUris',
  summary: "Returns the URIs of a doorbell camera's media.",
  description: 'Like `/api/camera/getMediaUris`.',
  request: Type.Object({ deviceUuid: deviceFacetUuid('The doorbell camera.') }),
  response: MEDIA_URIS_PROPERTIES,
  example: { request: { deviceUuid: EXAMPLE_DOORBELL_UUID }, response: EXAMPLE_MEDIA_URIS },
  async handler(context, { deviceUuid }) {
    const { camera } = await context.services.devices.findDoorbellCamera(context.orgUuid, deviceUuid);
    return mediaUrisOf(context, camera.uuid);
  },
});
