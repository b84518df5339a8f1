/** POST /api/camera/createVideoWall: creates a video wall. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_WALL_UUID } from '../types/examples.ts';
import { NEW_VIDEO_WALL_SCHEMA, videoWallRequest } from '../types/wall-fields.ts';

export const createVideoWall = defineEndpoint({
  path: '/api/camera/createVideoWall',
  summary: 'Creates a video wall.',
  description:
    'Up to 16 cameras that are watched together. `displayName` is required. No one can watch the wall before it is ' +
    'shared with `createSharedVideoWall`.',
  repetition: 'once',
  request: Type.Object({ videoWall: NEW_VIDEO_WALL_SCHEMA }),
  response: { uuid: ruuid('The new wall.') },
  example: {
    request: { videoWall: { displayName: 'Control room', deviceList: [EXAMPLE_CAMERA_UUID] } },
    response: { uuid: EXAMPLE_WALL_UUID },
  },
  async handler({ orgUuid, services }, { videoWall }) {
    const { uuid } = await services.videoWalls.create(orgUuid, videoWallRequest(videoWall));
    return { uuid };
  },
});
