/** POST /api/event/getSavedClipsV2: the organisation's saved clips, newest first. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ResourceRepository } from '../../store/resource.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { int32, int64, listOf, nullable } from '../base/field-types.ts';
import {
  EXAMPLE_CLIP,
  SAVED_CLIP_SCHEMA,
  type SavedClip,
  type SavedClipBody,
  savedClipAnswer,
  savedClipsOf,
} from './saved-clip.ts';

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
/** Less than every uuid: a place before all clips of a millisecond, seen from the newest. */
const BEFORE_EVERY_UUID = '' as Ruuid;

export const getSavedClipsV2 = defineEndpoint({
  path: '/api/event/getSavedClipsV2',
  summary: 'Lists the saved clips of the organisation.',
  description:
    'Those that were saved last come first. Give `lastEvaluatedTimestampMs` back as `pageTimestampMs` to get the next ' +
    'page; it is null on the last one. Clips saved in the same millisecond are never parted, so a page may be somewhat ' +
    'longer than `maxPageSize`. Clips that are saved meanwhile neither repeat nor hide any. They come in through ' +
    '`/api/ingest/savedClips` and `/api/event/savePolicyAlertV2`.',
  request: Type.Object({
    maxPageSize: Type.Optional(
      int32(`Most clips in the answer. ${DEFAULT_PAGE_SIZE} when absent.`, 1, MAX_PAGE_SIZE),
    ),
    pageTimestampMs: Type.Optional(
      int64('The `lastEvaluatedTimestampMs` of the page before.', 0, MAX_TIME_MS),
    ),
  }),
  response: {
    savedClips: listOf(SAVED_CLIP_SCHEMA, 'The clips.'),
    lastEvaluatedTimestampMs: nullable(int64('Leads to the next page; null when there is none.')),
  },
  example: {
    request: { maxPageSize: 100 },
    response: { savedClips: [savedClipAnswer(EXAMPLE_CLIP)], lastEvaluatedTimestampMs: null },
  },
  async handler({ orgUuid, services }, { maxPageSize = DEFAULT_PAGE_SIZE, pageTimestampMs }) {
    const clips = savedClipsOf(services.store);
    const found = await clips.page(orgUuid, {
      order: 'newest-first',
      after: pageTimestampMs === undefined ? null : { createdAtMs: pageTimestampMs, uuid: BEFORE_EVERY_UUID },
      limit: maxPageSize + 1,
    });
    if (found.length <= maxPageSize) {
      return { savedClips: found.map(savedClipAnswer), lastEvaluatedTimestampMs: null };
    }
    const page = await wholeMilliseconds(clips, orgUuid, found);
    return { savedClips: page.map(savedClipAnswer), lastEvaluatedTimestampMs: page.at(-1)!.createdAtMs };
  },
});

/** Leaves the clips of the last millisecond to the next page, unless there are no others: then it takes all of them. */
async function wholeMilliseconds(
  clips: ResourceRepository<SavedClipBody>,
  orgUuid: Ruuid,
  found: readonly SavedClip[],
): Promise<readonly SavedClip[]> {
  const lastMs = found.at(-1)!.createdAtMs;
  const whole = found.filter(({ createdAtMs }) => createdAtMs > lastMs);
  if (whole.length > 0) return whole;
  const page = [...found];
  for (;;) {
    const further = await clips.page(orgUuid, {
      order: 'newest-first',
      after: page.at(-1)!,
      limit: MAX_PAGE_SIZE,
    });
    const together = further.filter(({ createdAtMs }) => createdAtMs === lastMs);
    page.push(...together);
    if (together.length < MAX_PAGE_SIZE) return page;
  }
}
