/** POST /api/event/getSharedClipGroupDetails: one shared group of clips. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CLIP_GROUP,
  SHARED_CLIP_GROUP_WITH_DETAILS_SCHEMA,
  sharedClipGroupDetailsAnswer,
} from './shared-clip-group-type.ts';

export const getSharedClipGroupDetails = defineEndpoint({
  path: '/api/event/getSharedClipGroupDetails',
  summary: 'Reads one shared group of clips with what the clips show.',
  description: 'What is not known is absent.',
  request: Type.Object({ uuid: ruuid('The group.') }),
  response: { sharedClipGroup: SHARED_CLIP_GROUP_WITH_DETAILS_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_CLIP_GROUP.group.uuid },
    response: { sharedClipGroup: sharedClipGroupDetailsAnswer(EXAMPLE_CLIP_GROUP) },
  },
  async handler({ orgUuid, caller, services: { clipGroups } }, { uuid }) {
    const group = await clipGroups.find(orgUuid, uuid, caller.actor.uuid);
    return { sharedClipGroup: sharedClipGroupDetailsAnswer(group) };
  },
});
