/** POST /api/event/getSavedClipsV2: the organization's saved clips, newest first. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, int64, listOf, nullable } from '../../http/fields/field-types.ts';
import { EXAMPLE_CLIP, SAVED_CLIP_SCHEMA, savedClipAnswer } from './saved-clip-type.ts';

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
export const getSavedClipsV2 = defineEndpoint({
  path: '/api/event/getSavedClipsV2',
  summary: 'Lists the saved clips of the organization.',
  description:
    'The clips that were saved last come first. To get the next page, send back `lastEvaluatedTimestampMs` as ' +
    '`pageTimestampMs`; it is absent on the last page. Clips saved in the same millisecond are never split, so a ' +
    'page can be somewhat longer than `maxPageSize`; it is shorter by private clips of others. Clips that are saved in the meantime are neither repeated nor ' +
    'hide others. Clips are created with `/api/video/spliceV3`, `/api/ingest/savedClips` and ' +
    '`/api/event/savePolicyAlertV2`.',
  request: Type.Object({
    maxPageSize: Type.Optional(
      int32(`Maximum number of clips. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE),
    ),
    pageTimestampMs: Type.Optional(
      int64('The `lastEvaluatedTimestampMs` of the previous page.', 0, MAX_TIME_MS),
    ),
  }),
  response: {
    savedClips: listOf(SAVED_CLIP_SCHEMA, 'The clips.'),
    lastEvaluatedTimestampMs: nullable(int64('Leads to the next page; absent on the last one.')),
  },
  example: {
    request: { maxPageSize: 100 },
    response: { savedClips: [savedClipAnswer(EXAMPLE_CLIP)], lastEvaluatedTimestampMs: null },
  },
  async handler({ orgUuid, caller, services }, { maxPageSize = DEFAULT_PAGE_SIZE, pageTimestampMs = null }) {
    const reader = caller.actor.uuid;
    const { clips, nextMs } = await services.savedClips.page(orgUuid, pageTimestampMs, maxPageSize, reader);
    return { savedClips: clips.map(savedClipAnswer), lastEvaluatedTimestampMs: nextMs };
  },
});
