/** POST /api/camera/getVideoWalls: the organization's video walls. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, mapOf, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_VIDEO_WALL } from '../types/examples.ts';
import { VIDEO_WALL_SUMMARY_SCHEMA, videoWallSummary } from '../types/wall-fields.ts';

export const getVideoWalls = defineEndpoint({
  path: '/api/camera/getVideoWalls',
  summary: 'Lists the video walls.',
  description: 'In the order in which they were created.',
  request: Type.Object({}),
  response: {
    videoWalls: listOf(VIDEO_WALL_SUMMARY_SCHEMA, 'The walls.'),
    userNameMap: mapOf(plainText('Name.'), 'By user UUID. Always empty: the gateway knows no users.'),
  },
  example: {
    request: {},
    response: { videoWalls: [videoWallSummary(EXAMPLE_VIDEO_WALL, 1)], userNameMap: {} },
  },
  async handler({ orgUuid, services }) {
    const walls = await services.videoWalls.list(orgUuid);
    return { videoWalls: walls.map(({ wall, shares }) => videoWallSummary(wall, shares)), userNameMap: {} };
  },
});
