/** POST /api/video/deleteTimelapseClips: deletes timelapses. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIMELAPSE_UUID } from '../types/examples.ts';

const MAX_LIST_ENTRIES = 100;

export const deleteTimelapseClips = defineEndpoint({
  path: '/api/video/deleteTimelapseClips',
  summary: 'Deletes timelapses with their files.',
  description: 'Also ends those that are being made. If one of them does not exist, none is deleted.',
  repetition: 'same-outcome',
  request: Type.Object({ clipUuids: listOf(ruuid('Timelapse.'), 'The timelapses.', MAX_LIST_ENTRIES) }),
  response: {},
  example: { request: { clipUuids: [EXAMPLE_TIMELAPSE_UUID] }, response: {} },
  async handler({ orgUuid, services }, { clipUuids }) {
    await services.clips.timelapses.remove(orgUuid, clipUuids);
    return {};
  },
});
