/** POST /api/doorbellcamera/findSharedLiveVideoStreams: the shares of a doorbell camera. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_DOORBELL_UUID, EXAMPLE_SHARED_STREAM } from '../types/examples.ts';
import { listShares } from '../types/share-endpoints.ts';
import { SHARED_STREAM_SCHEMA } from '../types/share-fields.ts';

export const findDoorbellSharedLiveVideoStreams = defineEndpoint({
  path: '/api/doorbellcamera/findSharedLiveVideoStreams',
  summary: 'Lists the shared live streams of a doorbell camera.',
  description: 'Newest first, including expired ones. With a facet, only the shares of that facet.',
  request: Type.Object({ doorbellCameraUuid: deviceFacetUuid('The doorbell camera.') }),
  response: { sharedLiveVideoStreams: listOf(SHARED_STREAM_SCHEMA, 'The shares.') },
  example: {
    request: { doorbellCameraUuid: EXAMPLE_DOORBELL_UUID },
    response: {
      sharedLiveVideoStreams: [
        { ...EXAMPLE_SHARED_STREAM, cameraUuid: EXAMPLE_DOORBELL_UUID, deviceUuid: EXAMPLE_DOORBELL_UUID },
      ],
    },
  },
  async handler(context, { doorbellCameraUuid }) {
    const device = await context.services.devices.findDoorbellCamera(context.orgUuid, doorbellCameraUuid);
    return { sharedLiveVideoStreams: await listShares(context, device) };
  },
});
