/** POST /api/event/getClipWithProgress: a saved clip, and how far it has come. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { CLIP_WITH_PROGRESS_SCHEMA, clipWithProgressAnswer } from './clip-with-progress-type.ts';
import { EXAMPLE_CLIP } from './saved-clip-type.ts';

export const getClipWithProgress = defineEndpoint({
  path: '/api/event/getClipWithProgress',
  summary: 'Tells how far a saved clip has come.',
  description: 'The status of a clip that was reported is what was reported of it.',
  request: Type.Object({ clipUuid: ruuid('The clip.') }),
  response: { clip: CLIP_WITH_PROGRESS_SCHEMA },
  example: {
    request: { clipUuid: EXAMPLE_CLIP.uuid },
    response: { clip: clipWithProgressAnswer(EXAMPLE_CLIP) },
  },
  async handler({ orgUuid, caller, services }, { clipUuid }) {
    const clip = await services.savedClips.find(orgUuid, clipUuid, caller.actor.uuid);
    return { clip: clipWithProgressAnswer(clip, await services.clips.progress(clip)) };
  },
});
