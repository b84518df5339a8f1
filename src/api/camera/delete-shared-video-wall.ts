/** POST /api/camera/deleteSharedVideoWall: deletes a share of a video wall. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_WALL_UUID } from '../types/examples.ts';

export const deleteSharedVideoWall = defineEndpoint({
  path: '/api/camera/deleteSharedVideoWall',
  summary: 'Deletes a share of a video wall.',
  description: 'Its link stops working right away, and current viewers are cut off. The wall stays.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    videoWallUuid: Type.Optional(ruuid('Its wall; a share of another wall is not deleted.')),
  }),
  response: {},
  example: { request: { uuid: EXAMPLE_SHARE_UUID, videoWallUuid: EXAMPLE_WALL_UUID }, response: {} },
  async handler({ orgUuid, services: { wallShares } }, { uuid, videoWallUuid }) {
    if (videoWallUuid === undefined) await wallShares.remove(orgUuid, uuid);
    else await wallShares.removeOfWall(orgUuid, uuid, videoWallUuid);
    return {};
  },
});
