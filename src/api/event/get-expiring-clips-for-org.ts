/** POST /api/event/getExpiringClipsForOrg: saved clips that the gateway deletes soon. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { CLIP_SEARCH_FIELDS, FOUND_CLIPS, findClips } from './clip-search.ts';
import { clipWithProgressAnswer } from './clip-with-progress-type.ts';
import { EXAMPLE_CLIP } from './saved-clip-type.ts';

export const getExpiringClipsForOrg = defineEndpoint({
  path: '/api/event/getExpiringClipsForOrg',
  summary: 'Finds saved clips that will be deleted soon.',
  description:
    'Those that are deleted because of their age (`clips.keep`) within 30 days. Clips that may be deleted earlier, to make ' +
    'room for newer ones, are not predicted, and clips whose video the gateway does not have are not deleted. Everything ' +
    'else is as in `getClipsWithProgress`.',
  request: Type.Object(CLIP_SEARCH_FIELDS),
  response: FOUND_CLIPS,
  example: {
    request: { deviceUuidFilters: [EXAMPLE_CAMERA_UUID], timestampMsAfter: EXAMPLE_TIME_MS, pageSize: 100 },
    response: { savedClips: [clipWithProgressAnswer(EXAMPLE_CLIP)], pageToken: null },
  },
  handler: (context, body) => findClips(context, body, context.services.clips.expiring()),
});
