/** POST /api/event/getSplicedClipsInProgress: clips that are being made. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_SPLICED_CLIP, SPLICED_CLIP_SCHEMA, splicedClipAnswer } from '../types/spliced-clip-type.ts';

export const getEventSplicedClipsInProgress = defineEndpoint({
  path: '/api/event/getSplicedClipsInProgress',
  summary: 'Lists clips that are being made, like `/api/video/getSplicedClipsInProgress`.',
  description: 'Oldest first. A clip that is complete or has failed is not among them.',
  request: Type.Object({}),
  response: { splicedClips: listOf(SPLICED_CLIP_SCHEMA, 'The clips.') },
  example: { request: {}, response: { splicedClips: [EXAMPLE_SPLICED_CLIP] } },
  async handler({ orgUuid, caller, services }) {
    return {
      splicedClips: (await services.clips.inProgress(orgUuid, caller.actor.uuid)).map(splicedClipAnswer),
    };
  },
});
