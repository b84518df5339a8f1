/**
 * POST /api/doorbellcamera/createSharedLiveVideoStream: shares a doorbell camera's live stream
 * (docs/spec/rules.md#shared-live-streams).
 */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CREATED_SHARE, EXAMPLE_DOORBELL_UUID } from '../types/examples.ts';
import { createShare } from '../types/share-endpoints.ts';
import {
  CREATED_SHARE_PROPERTIES,
  NEW_SHARE_PROPERTIES,
  NO_SIGN_IN,
  sharedDevice,
} from '../types/share-fields.ts';

export const createDoorbellSharedLiveVideoStream = defineEndpoint({
  path: '/api/doorbellcamera/createSharedLiveVideoStream',
  summary: "Shares a doorbell camera's live stream.",
  description:
    'Like `/api/camera/createSharedLiveVideoStream`, but only for doorbell cameras; others are refused.',
  repetition: 'once',
  request: Type.Object({
    doorbellCameraUuid: sharedDevice('The doorbell camera.'),
    ...NEW_SHARE_PROPERTIES,
    ...NO_SIGN_IN,
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
