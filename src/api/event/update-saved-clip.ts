/** POST /api/event/updateSavedClip: changes what is said about a saved clip. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid, text } from '../../http/fields/field-types.ts';
import { CLIP_ACCESS_SETTINGS_SCHEMA } from '../types/clip-access-type.ts';
import { EXAMPLE_CLIP } from './saved-clip-type.ts';

const MAX_DESCRIPTION_LENGTH = 4_096;

export const updateSavedClip = defineEndpoint({
  path: '/api/event/updateSavedClip',
  summary: 'Changes the title, the description or the access settings of a saved clip.',
  description:
    'What is absent stays as it is. If a clip that no one saved becomes private, it is the caller’s.',
  repetition: 'same-outcome',
  request: Type.Object({
    savedClipUuid: ruuid('The clip.'),
    title: Type.Optional(text('Its title.')),
    description: Type.Optional(text('Its description.', MAX_DESCRIPTION_LENGTH)),
    accessSettings: Type.Optional(CLIP_ACCESS_SETTINGS_SCHEMA),
  }),
  response: {},
  example: { request: { savedClipUuid: EXAMPLE_CLIP.uuid, title: 'Delivery at the dock' }, response: {} },
  async handler({ orgUuid, caller, services }, { savedClipUuid, title, description, accessSettings }) {
    const fields = {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(accessSettings === undefined ? {} : { accessSettings }),
    };
    await services.savedClips.update(orgUuid, savedClipUuid, fields, caller.actor.uuid);
    return {};
  },
});
