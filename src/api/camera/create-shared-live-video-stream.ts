/** POST /api/camera/createSharedLiveVideoStream: shares a camera's live stream. */

import { Type } from 'typebox';
import { oneOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_CREATED_SHARE } from '../types/examples.ts';
import { createShare } from '../types/share-endpoints.ts';
import {
  CAMERA_SHARE_PROPERTIES,
  CREATED_SHARE_PROPERTIES,
  NEW_SHARE_PROPERTIES,
  STREAM_TYPES,
  sharedDevice,
  vodFlag,
} from '../types/share-fields.ts';

export const createSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/createSharedLiveVideoStream',
  summary: "Shares a camera's live stream.",
  description:
    'Needs only `cameraUuid`. The page is for people, the playlist for players and services. Without a password both play at once; with one, ' +
    'the page asks for it and the playlist takes it as HTTP Basic or as `?password=`.',
  request: Type.Object({
    cameraUuid: sharedDevice('The camera.'),
    ...NEW_SHARE_PROPERTIES,
    ...CAMERA_SHARE_PROPERTIES,
    streamType: Type.Optional(oneOf(STREAM_TYPES, 'What the stream is for. Default USER.')),
    vodEnabled: Type.Optional(vodFlag('Whether the footage is recorded to a VOD as well. Default false.')),
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
