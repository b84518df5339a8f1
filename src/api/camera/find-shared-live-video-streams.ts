/** POST /api/camera/findSharedLiveVideoStreams: the shares of a camera. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_SHARED_STREAM } from '../types/examples.ts';
import { listShares } from '../types/share-endpoints.ts';
import { SHARED_STREAM_SCHEMA } from '../types/share-fields.ts';

export const findSharedLiveVideoStreams = defineEndpoint({
  path: '/api/camera/findSharedLiveVideoStreams',
  summary: 'Lists the shared live streams of a camera.',
  description: 'Newest first, including expired ones. With a facet, only the shares of that facet.',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  response: { sharedLiveVideoStreams: listOf(SHARED_STREAM_SCHEMA, 'The shares.') },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: { sharedLiveVideoStreams: [EXAMPLE_SHARED_STREAM] },
  },
  async handler(context, { cameraUuid }) {
    return {
      sharedLiveVideoStreams: await listShares(
        context,
        await context.services.devices.findCamera(context.orgUuid, cameraUuid),
      ),
    };
  },
});
