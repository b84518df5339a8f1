/** POST /api/camera/createProtectedSharedLiveVideoStream: shares a camera's live stream behind a password. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { MAX_PASSWORD_LENGTH, text } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_CREATED_SHARE } from '../types/examples.ts';
import { createShare } from '../types/share-endpoints.ts';
import {
  CREATED_SHARE_PROPERTIES,
  NEW_CAMERA_SHARE_PROPERTIES,
  sharedDevice,
} from '../types/share-fields.ts';

export const createProtectedSharedLiveVideoStream = defineEndpoint({
  path: '/api/camera/createProtectedSharedLiveVideoStream',
  summary: "Shares a camera's live stream behind a password.",
  description:
    'Like `createSharedLiveVideoStream`, except that `password` is required and must not be blank: this call never ' +
    'creates a share that is open to anyone who has its link.',
  repetition: 'once',
  request: Type.Object({
    cameraUuid: sharedDevice('The camera.'),
    ...NEW_CAMERA_SHARE_PROPERTIES,
    password: text('The password that viewers must enter.', MAX_PASSWORD_LENGTH),
  }),
  response: CREATED_SHARE_PROPERTIES,
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      name: 'Front desk',
      password: 'correct horse battery staple',
      expirationTimeSecs: 86_400,
    },
    response: EXAMPLE_CREATED_SHARE,
  },
  async handler(context, { cameraUuid, streamType = 'USER', vodEnabled = false, ...fields }) {
    const device = await context.services.devices.findCamera(context.orgUuid, cameraUuid);
    if (fields.password.trim() === '') throw invalidField('password must not be blank.');
    return createShare(context, device, { ...fields, streamType, vodEnabled });
  },
});
