/** POST /api/camera/findSharedVideoWalls: the shares of a video wall. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, ruuid } from '../../http/fields/field-types.ts';
import { mayShare } from '../types/caller-rights.ts';
import { EXAMPLE_SHARED_WALL, EXAMPLE_WALL_UUID } from '../types/examples.ts';
import { SHARED_WALL_SCHEMA, sharedWallAnswer } from '../types/wall-fields.ts';

export const findSharedVideoWalls = defineEndpoint({
  path: '/api/camera/findSharedVideoWalls',
  summary: 'Lists the shares of a video wall.',
  description:
    'In the order in which they were created, including expired ones. Without a wall: those of all walls.',
  request: Type.Object({ videoWallUuid: Type.Optional(ruuid('The wall.')) }),
  response: { sharedVideoWalls: listOf(SHARED_WALL_SCHEMA, 'The shares.') },
  example: {
    request: { videoWallUuid: EXAMPLE_WALL_UUID },
    response: { sharedVideoWalls: [EXAMPLE_SHARED_WALL] },
  },
  async handler(context, { videoWallUuid }) {
    const { orgUuid, services } = context;
    const { wallShares } = services;
    const shares =
      videoWallUuid === undefined
        ? await wallShares.list(orgUuid)
        : await wallShares.listOfWall(orgUuid, videoWallUuid);
    const hasLinks = mayShare(context);
    return {
      sharedVideoWalls: shares.map((share) =>
        sharedWallAnswer(share, hasLinks ? wallShares.pageUrl(share) : ''),
      ),
    };
  },
});
