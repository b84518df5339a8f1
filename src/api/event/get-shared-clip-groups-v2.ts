/** POST /api/event/getSharedClipGroupsV2: the groups of clips that are shared by link. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  EXAMPLE_CLIP_GROUP,
  SHARED_CLIP_GROUP_SCHEMA,
  sharedClipGroupAnswer,
} from './shared-clip-group-type.ts';

export const getSharedClipGroupsV2 = defineEndpoint({
  path: '/api/event/getSharedClipGroupsV2',
  summary: 'Lists the shared groups of clips.',
  description: 'In the order in which they were created, including expired ones.',
  request: Type.Object({
    createdAfterMs: Type.Optional(
      int64('Start of the range of creation times, inclusive, in epoch milliseconds.', 0),
    ),
    createdBeforeMs: Type.Optional(
      int64('End of the range of creation times, exclusive, in epoch milliseconds.', 0),
    ),
  }),
  response: { sharedClipGroups: listOf(SHARED_CLIP_GROUP_SCHEMA, 'The groups.') },
  example: {
    request: { createdAfterMs: EXAMPLE_TIME_MS },
    response: { sharedClipGroups: [sharedClipGroupAnswer(EXAMPLE_CLIP_GROUP)] },
  },
  async handler({ orgUuid, caller, services: { clipGroups } }, { createdAfterMs, createdBeforeMs }) {
    const groups = await clipGroups.list(
      orgUuid,
      createdAfterMs ?? 0,
      createdBeforeMs ?? Number.MAX_SAFE_INTEGER,
      caller.actor.uuid,
    );
    return { sharedClipGroups: LongList.of(groups).map(sharedClipGroupAnswer) };
  },
});
