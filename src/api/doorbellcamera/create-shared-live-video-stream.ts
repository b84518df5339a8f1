/** POST /api/doorbellcamera/createSharedLiveVideoStream: shares a doorbell camera's live stream (spec). */

import { Type } from 'typebox';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_CREATED_SHARE, EXAMPLE_DOORBELL_UUID } from '../base/examples.ts';
import { deviceFacetUuid } from '../base/field-types.ts';
import { createShare } from '../base/share-endpoints.ts';
import { CREATED_SHARE_PROPERTIES, NEW_SHARE_PROPERTIES } from '../base/share-fields.ts';

export const createDoorbellSharedLiveVideoStream = defineEndpoint({
  path: '/api/doorbellcamera/createSharedLiveVideoStream',
  summary: "Shares a doorbell camera's live stream.",
  description: 'As `/api/camera/createSharedLiveVideoStream`, for doorbell cameras; others are refused.',
  request: Type.Object({
    doorbellCameraUuid: deviceFacetUuid('The doorbell camera.'),
    ...NEW_SHARE_PROPERTIES,
  }),
  response: CREATED_SHARE_PROPERTIES,
  example: {
    request: { doorbellCameraUuid: EXAMPLE_DOORBELL_UUID, streamType: 'USER', vodEnabled: false },
    response: EXAMPLE_CREATED_SHARE,
  },
  async handler(context, { doorbellCameraUuid, ...fields }) {
    return createShare(
      context,
      await context.services.devices.findDoorbellCamera(context.orgUuid, doorbellCameraUuid),
      fields,
    );
  },
});
