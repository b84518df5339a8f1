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
    userNameMap: mapOf(plainText('Name.'), 'The owners who are people of the organization, by their UUID.'),
  },
  example: {
    request: {},
    response: { videoWalls: [videoWallSummary(EXAMPLE_VIDEO_WALL, 1)], userNameMap: {} },
  },
  async handler({ orgUuid, services }) {
    const walls = await services.videoWalls.list(orgUuid);
    const owners = new Set(walls.flatMap(({ wall }) => wall.ownerUserUuid ?? []));
    const people = owners.size > 0 ? await services.people.list(orgUuid) : [];
    const named = people.filter(({ uuid }) => owners.has(uuid)).map(({ uuid, name }) => [uuid, name]);
    return {
      videoWalls: walls.map(({ wall, shares }) => videoWallSummary(wall, shares)),
      userNameMap: Object.fromEntries(named),
    };
  },
});
