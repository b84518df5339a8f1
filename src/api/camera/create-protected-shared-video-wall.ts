/** POST /api/camera/createProtectedSharedVideoWall: shares a video wall behind a password. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { MAX_PASSWORD_LENGTH, text } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_CREATED_WALL_SHARE, EXAMPLE_WALL_UUID } from '../types/examples.ts';
import {
  CREATED_WALL_SHARE_PROPERTIES,
  createWallShare,
  NEW_WALL_SHARE_PROPERTIES,
} from '../types/wall-fields.ts';

export const createProtectedSharedVideoWall = defineEndpoint({
  path: '/api/camera/createProtectedSharedVideoWall',
  summary: 'Shares a video wall behind a password.',
  description:
    'Like `createSharedVideoWall`, except that `password` is required and must not be blank: this call never creates ' +
    'a share that is open to anyone who has its link.',
  repetition: 'once',
  request: Type.Object({
    ...NEW_WALL_SHARE_PROPERTIES,
    password: text('The password that viewers must enter.', MAX_PASSWORD_LENGTH),
  }),
  response: CREATED_WALL_SHARE_PROPERTIES,
  example: {
    request: { videoWallUuid: EXAMPLE_WALL_UUID, password: 'correct horse battery staple' },
    response: EXAMPLE_CREATED_WALL_SHARE,
  },
  async handler(context, body) {
    if (body.password.trim() === '') throw invalidField('password must not be blank.');
    return createWallShare(context, body);
  },
});
