/** POST /api/video/spliceV2: makes a clip of a time of recordings. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import { FISHEYE_MAP } from '../types/clip-view-type.ts';
import { EXAMPLE_CLIP_UUID } from '../types/examples.ts';
import { SPLICE_DESCRIPTION, SPLICE_EXAMPLE, SPLICE_FIELDS } from './splice-request.ts';

export const spliceV2 = defineEndpoint({
  path: '/api/video/spliceV2',
  summary: 'Makes a clip of recordings.',
  description: SPLICE_DESCRIPTION,
  repetition: 'once',
  request: Type.Object({
    ...SPLICE_FIELDS,
    fisheyePresentationMap: Type.Optional(ignored(FISHEYE_MAP, 'the video is copied as it was recorded')),
  }),
  response: { clipUuid: ruuid('The clip.') },
  example: { request: SPLICE_EXAMPLE, response: { clipUuid: EXAMPLE_CLIP_UUID } },
  async handler(
    { orgUuid, caller, services },
    { deviceUuids, startTimeMillis, durationSec, title, description },
  ) {
    const clipUuid = await services.clips.splice(orgUuid, {
      userUuid: caller.actor.uuid,
      ...{ devices: deviceUuids, startMs: startTimeMillis, durationSec, hasAudio: true },
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    });
    return { clipUuid };
  },
});
