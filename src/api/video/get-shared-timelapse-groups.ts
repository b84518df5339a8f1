/** POST /api/video/getSharedTimelapseGroups: the groups of timelapses that are shared by link. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_TIMELAPSE_GROUP,
  SHARED_TIMELAPSE_GROUP_SCHEMA,
  sharedTimelapseGroupAnswer,
} from '../types/shared-timelapse-group-type.ts';

export const getSharedTimelapseGroups = defineEndpoint({
  path: '/api/video/getSharedTimelapseGroups',
  summary: 'Lists the shared groups of timelapses.',
  description: 'In the order in which they were created, including expired ones.',
  request: Type.Object({}),
  response: { sharedTimelapses: listOf(SHARED_TIMELAPSE_GROUP_SCHEMA, 'The groups.') },
  example: { request: {}, response: { sharedTimelapses: [EXAMPLE_TIMELAPSE_GROUP] } },
  async handler({ orgUuid, services }) {
    const groups = await services.timelapseGroups.list(orgUuid);
    return { sharedTimelapses: LongList.of(groups).map(sharedTimelapseGroupAnswer) };
  },
});
