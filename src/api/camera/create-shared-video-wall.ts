/** POST /api/camera/createSharedVideoWall: shares a video wall. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CREATED_WALL_SHARE, EXAMPLE_WALL_UUID } from '../types/examples.ts';
import {
  CREATED_WALL_SHARE_PROPERTIES,
  createWallShare,
  NEW_WALL_SHARE_PROPERTIES,
} from '../types/wall-fields.ts';

export const createSharedVideoWall = defineEndpoint({
  path: '/api/camera/createSharedVideoWall',
  summary: 'Shares a video wall.',
  description:
    'One link for all cameras of the wall, without audio. Each camera follows the share’s schedule, or its own in ' +
    '`deviceScheduleMap`. Expiration, password and schedules work like those of a camera’s share.',
  repetition: 'once',
  request: Type.Object(NEW_WALL_SHARE_PROPERTIES),
  response: CREATED_WALL_SHARE_PROPERTIES,
  example: {
    request: { videoWallUuid: EXAMPLE_WALL_UUID, expirationTimeSecs: 86_400 },
    response: EXAMPLE_CREATED_WALL_SHARE,
  },
  async handler(context, body) {
    return createWallShare(context, body);
  },
});
