/** POST /api/camera/updateVideoWalls: changes a video wall. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_WALL_UUID } from '../types/examples.ts';
import { CHANGED_VIDEO_WALL_SCHEMA, videoWallRequest } from '../types/wall-fields.ts';

export const updateVideoWalls = defineEndpoint({
  path: '/api/camera/updateVideoWalls',
  summary: 'Changes a video wall.',
  description:
    '`videoWall.uuid` names the wall. Absent fields stay as they are; lists and settings are replaced as a whole. A ' +
    'camera that is no longer in `deviceList` is cut off for everyone who has a link to the wall, and a new one ' +
    'appears on open pages within 15 seconds.',
  repetition: 'same-outcome',
  request: Type.Object({ videoWall: CHANGED_VIDEO_WALL_SCHEMA }),
  response: {},
  example: {
    request: { videoWall: { uuid: EXAMPLE_WALL_UUID, deviceList: [EXAMPLE_CAMERA_UUID] } },
    response: {},
  },
  async handler({ orgUuid, services }, { videoWall }) {
    await services.videoWalls.update(orgUuid, videoWall.uuid, videoWallRequest(videoWall));
    return {};
  },
});
