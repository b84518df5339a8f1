/** POST /api/camera/deleteVideoWall: deletes a video wall. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_WALL_UUID } from '../types/examples.ts';

export const deleteVideoWall = defineEndpoint({
  path: '/api/camera/deleteVideoWall',
  summary: 'Deletes a video wall.',
  description:
    'Its shares end with it: their links stop working right away, and current viewers are cut off.',
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The wall.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_WALL_UUID }, response: {} },
  async handler({ orgUuid, services }, { uuid }) {
    await services.videoWalls.remove(orgUuid, uuid);
    return {};
  },
});
