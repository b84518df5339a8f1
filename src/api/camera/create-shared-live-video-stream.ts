/** POST /api/camera/createSharedLiveVideoStream: shares a camera's live stream. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_CREATED_SHARE } from '../types/examples.ts';
import { createShare } from '../types/share-endpoints.ts';
import {
  CREATED_SHARE_PROPERTIES,
  NEW_CAMERA_SHARE_PROPERTIES,
  sharedDevice,
} from '../types/share-fields.ts';

export const createSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/createSharedLiveVideoStream',
  summary: "Shares a camera's live stream.",
  description:
    'Only `cameraUuid` is required. The page is for people, the playlist for players and services. Without a ' +
    'password, both play right away. With one, the page asks for it, and the playlist accepts it as HTTP Basic or as ' +
    '`?password=`.',
  repetition: 'once',
  request: Type.Object({
    cameraUuid: sharedDevice('The camera.'),
    ...NEW_CAMERA_SHARE_PROPERTIES,
  }),
  response: CREATED_SHARE_PROPERTIES,
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      name: 'Front desk',
      expirationTimeSecs: 86_400,
    },
    response: EXAMPLE_CREATED_SHARE,
  },
  async handler(context, { cameraUuid, streamType = 'USER', vodEnabled = false, ...fields }) {
    return createShare(context, await context.services.devices.findCamera(context.orgUuid, cameraUuid), {
      ...fields,
      streamType,
      vodEnabled,
    });
  },
});
