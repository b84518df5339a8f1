/** Saved clips with how far each one is. */

import { type Static, Type } from 'typebox';
import type { ClipProgress } from '../../clips/clips.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ClipSearch, SavedClip } from '../../events/saved-clips.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { MAX_PAGE_KEY_LENGTH, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { CLIP_DETAIL_FIELDS, EXAMPLE_CLIP, SAVED_CLIP_PROPERTIES, savedClipResponse } from './saved-clips.ts';

const COMPLETE_PERCENT = 100;
const NO_PROGRESS: ClipProgress = { status: null, percent: null, failureCode: null };

/** A saved clip with how far it has come, as clients wait for it (events/saved-clips.ts). */
const CLIP_WITH_PROGRESS_SCHEMA = namedType('SavedClipWithProgress', {
  ...SAVED_CLIP_PROPERTIES,
  /** UNKNOWN where none was reported: scripts read it of every clip. */
  status: CLIP_DETAIL_FIELDS.status,
  percentComplete: nullable(
    int32('How much is written; 100 where the status is COMPLETE; absent if unknown.', 0, COMPLETE_PERCENT),
  ),
  currentOperation: nullable(plainText('Why a clip of the gateway has failed; otherwise absent.')),
  lastUpdatedSec: int64('When it was changed last, in epoch seconds.'),
});

function clipWithProgressResponse(
  clip: SavedClip,
  progress: ClipProgress = NO_PROGRESS,
): Static<typeof CLIP_WITH_PROGRESS_SCHEMA> {
  const response = savedClipResponse(clip);
  const status = progress.status ?? response.status ?? 'UNKNOWN';
  return {
    ...response,
    status,
    percentComplete: status === 'COMPLETE' ? COMPLETE_PERCENT : progress.percent,
    currentOperation: progress.failureCode,
    lastUpdatedSec: Math.floor(clip.updatedAtMs / 1_000),
  };
}

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
const MAX_FILTER_ENTRIES = 500;
const PAGES = 'clipsWithProgress';
const SAVING_TIME = 'createdAtMs';
const CLIP_TIME = 'timestampMs';

/** How clips are searched, for all calls that find some of them with their progress. */
const CLIP_SEARCH_FIELDS = {
  deviceUuidFilters: Type.Optional(
    listOf(
      deviceUuid('Device.'),
      `Only clips of these devices, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  locationUuidFilters: Type.Optional(
    listOf(
      ruuid('Location.'),
      `Only clips of these locations, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  searchFilter: Type.Optional(text('Only clips with this text in their title, whatever the case.')),
  filterByPrivate: Type.Optional(
    flag('Whether to find only private clips, of those that the caller may see. Default false.'),
  ),
  excludeAlertMonitoringClips: Type.Optional(
    flag('Whether to leave out clips of alarm monitoring. Default false.'),
  ),
  timestampMsAfter: Type.Optional(
    int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  timestampMsBefore: Type.Optional(
    int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  timestampFilterField: Type.Optional(
    text(`The time that is compared: \`${CLIP_TIME}\`, the default, or \`${SAVING_TIME}\`.`),
  ),
  sortField: Type.Optional(text(`\`${SAVING_TIME}\`, the only order there is.`)),
  sortOrder: Type.Optional(text('`DESC`, the default, or `ASC`.')),
  pageSize: Type.Optional(int32(`Maximum number of clips. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
  pageToken: Type.Optional(text('The `pageToken` of the page before.', MAX_PAGE_KEY_LENGTH)),
};

const CLIP_SEARCH_REQUEST = Type.Object(CLIP_SEARCH_FIELDS);

const FOUND_CLIPS = {
  savedClips: listOf(CLIP_WITH_PROGRESS_SCHEMA, 'The clips.'),
  pageToken: nullable(plainText('Leads to the next page; absent on the last one.')),
};

/** The clips that match, as the caller may see them. Fails HTTP_… for a page token of another call. */
async function findClips(
  context: CallContext,
  body: Static<typeof CLIP_SEARCH_REQUEST>,
  kept: ClipSearch['kept'],
) {
  const { orgUuid, caller, services } = context;
  warnOfOther(context, 'timestampFilterField', body.timestampFilterField, [CLIP_TIME, SAVING_TIME]);
  warnOfOther(context, 'sortField', body.sortField, [SAVING_TIME]);
  warnOfOther(context, 'sortOrder', body.sortOrder, ['ASC', 'DESC']);
  const search = {
    deviceUuids: body.deviceUuidFilters ?? [],
    locationUuids: body.locationUuidFilters ?? [],
    titlePart: body.searchFilter ?? '',
    isOnlyPrivate: body.filterByPrivate ?? false,
    isWithoutMonitoring: body.excludeAlertMonitoringClips ?? false,
    fromMs: body.timestampMsAfter ?? 0,
    toMs: body.timestampMsBefore ?? MAX_TIME_MS + 1,
    isBySaving: body.timestampFilterField === SAVING_TIME,
    order: body.sortOrder === 'ASC' ? 'oldest-first' : 'newest-first',
    kept,
  } as const;
  const after = body.pageToken === undefined ? null : markOf(body.pageToken);
  const limit = body.pageSize ?? DEFAULT_PAGE_SIZE;
  const { clips, next } = await services.savedClips.search(orgUuid, search, after, limit, caller.actor.uuid);
  return {
    savedClips: await Promise.all(
      clips.map(async (clip) => clipWithProgressResponse(clip, await services.clips.progress(clip))),
    ),
    pageToken: next === null ? null : pageKeyOf(PAGES, [next.createdAtMs, next.uuid]),
  };
}

function markOf(pageToken: string): { readonly createdAtMs: number; readonly uuid: Ruuid } {
  const [createdAtMs, uuid] = readPageKey(pageToken, PAGES, ['number', 'string'], 'pageToken');
  return { createdAtMs, uuid: uuid as Ruuid };
}

function warnOfOther(
  context: CallContext,
  field: string,
  value: string | undefined,
  known: readonly [string, ...string[]],
): void {
  if (value === undefined || known.includes(value)) return;
  context.warn(`${field} has no effect: it can be ${known.join(' or ')}.`);
}

const getClipWithProgress = defineEndpoint({
  path: '/api/event/getClipWithProgress',
  summary: 'Tells how far a saved clip has come.',
  description: 'The status of a clip that was reported is what was reported of it.',
  request: Type.Object({ clipUuid: ruuid('The clip.') }),
  response: { clip: CLIP_WITH_PROGRESS_SCHEMA },
  example: {
    request: { clipUuid: EXAMPLE_CLIP.uuid },
    response: { clip: clipWithProgressResponse(EXAMPLE_CLIP) },
  },
  async handler({ orgUuid, caller, services }, { clipUuid }) {
    const clip = await services.savedClips.find(orgUuid, clipUuid, caller.actor.uuid);
    return { clip: clipWithProgressResponse(clip, await services.clips.progress(clip)) };
  },
});

const getClipsWithProgress = defineEndpoint({
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
    response: { savedClips: [clipWithProgressResponse(EXAMPLE_CLIP)], pageToken: null },
  },
  handler: (context, body) => findClips(context, body, null),
});

const getExpiringClipsForOrg = defineEndpoint({
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
    response: { savedClips: [clipWithProgressResponse(EXAMPLE_CLIP)], pageToken: null },
  },
  handler: (context, body) => findClips(context, body, context.services.clips.expiring()),
});

export const CLIP_WITH_PROGRESS_ENDPOINTS: readonly Endpoint[] = [
  getClipWithProgress,
  getClipsWithProgress,
  getExpiringClipsForOrg,
];
