/** POST /api/event/getClipsWithProgress: saved clips that match a search, and how far each has come. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { CLIP_SEARCH_FIELDS, FOUND_CLIPS, findClips } from './clip-search.ts';
import { clipWithProgressAnswer } from './clip-with-progress-type.ts';
import { EXAMPLE_CLIP } from './saved-clip-type.ts';

export const getClipsWithProgress = defineEndpoint({
  path: '/api/event/getClipsWithProgress',
  summary: 'Finds saved clips, and tells how far each has come.',
  description:
    'A clip matches by any of its devices, by its location, by its title and by its time; what is absent or empty lets every ' +
    'clip pass. Those that were saved last come first, unless `sortOrder` is `ASC`. Give `pageToken` back to get the next ' +
    'page; it is absent on the last one.',
  request: Type.Object(CLIP_SEARCH_FIELDS),
  response: FOUND_CLIPS,
  example: {
    request: { deviceUuidFilters: [EXAMPLE_CAMERA_UUID], timestampMsAfter: EXAMPLE_TIME_MS, pageSize: 100 },
    response: { savedClips: [clipWithProgressAnswer(EXAMPLE_CLIP)], pageToken: null },
  },
  handler: (context, body) => findClips(context, body, null),
});
