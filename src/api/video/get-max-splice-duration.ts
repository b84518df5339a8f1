/** POST /api/video/getMaxSpliceDuration: how long a clip can be. */

import { Type } from 'typebox';
import { MAX_SPLICE_SEC } from '../../clips/clips.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32 } from '../../http/fields/field-types.ts';

export const getMaxSpliceDuration = defineEndpoint({
  path: '/api/video/getMaxSpliceDuration',
  summary: 'Tells how long a clip can be.',
  description: 'The limit of `spliceV2` and `spliceV3`.',
  request: Type.Object({}),
  response: { maxDuration: int32('In seconds.') },
  example: { request: {}, response: { maxDuration: MAX_SPLICE_SEC } },
  async handler() {
    return { maxDuration: MAX_SPLICE_SEC };
  },
});
