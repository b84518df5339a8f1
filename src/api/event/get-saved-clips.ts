/** POST /api/event/getSavedClips: all saved clips of the organization, newest first. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIP, SAVED_CLIP_SCHEMA, savedClipAnswer } from './saved-clip-type.ts';

export const getSavedClips = defineEndpoint({
  path: '/api/event/getSavedClips',
  summary: 'Lists all saved clips of the organization.',
  description:
    'The clips that were saved last come first, without private ones of others. `/api/event/getSavedClipsV2` returns them in pages, ' +
    'and `/api/event/getClipsWithProgress` finds some of them.',
  request: Type.Object({}),
  response: { savedClips: listOf(SAVED_CLIP_SCHEMA, 'The clips.') },
  example: { request: {}, response: { savedClips: [savedClipAnswer(EXAMPLE_CLIP)] } },
  async handler({ orgUuid, caller, services }) {
    const clips = await services.savedClips.all(orgUuid, caller.actor.uuid);
    return { savedClips: clips.map(savedClipAnswer) };
  },
});
