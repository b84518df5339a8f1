/** POST /api/video/retrySplice: makes a clip again that has failed. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIP_UUID } from '../types/examples.ts';

export const retrySplice = defineEndpoint({
  path: '/api/video/retrySplice',
  summary: 'Makes a clip again that has failed.',
  description: 'Files of cameras that were complete are kept.',
  repetition: 'same-outcome',
  request: Type.Object({ clipUuid: ruuid('The clip.') }),
  response: {},
  example: { request: { clipUuid: EXAMPLE_CLIP_UUID }, response: {} },
  async handler({ orgUuid, caller, services }, { clipUuid }) {
    await services.clips.retry(orgUuid, clipUuid, caller.actor.uuid);
    return {};
  },
});
