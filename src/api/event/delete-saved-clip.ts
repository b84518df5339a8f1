/** POST /api/event/deleteSavedClip: deletes a saved clip. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIP } from './saved-clip-type.ts';

export const deleteSavedClip = defineEndpoint({
  path: '/api/event/deleteSavedClip',
  summary: 'Deletes a saved clip.',
  description:
    'The files of a clip that the gateway made are deleted; footage that is stored elsewhere stays there. A policy alert that was saved as this ' +
    'clip is no longer `saved`, and keeps its clip.',
  repetition: 'same-outcome',
  request: Type.Object({ savedClipUuid: ruuid('The clip.') }),
  response: {},
  example: { request: { savedClipUuid: EXAMPLE_CLIP.uuid }, response: {} },
  async handler({ orgUuid, caller, services }, { savedClipUuid }) {
    await services.savedClips.remove(orgUuid, savedClipUuid, caller.actor.uuid);
    return {};
  },
});
