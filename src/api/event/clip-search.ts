/** How clips are searched, for all calls that find some of them with their progress. */

import { type Static, Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ClipSearch } from '../../events/saved-clips.ts';
import type { CallContext } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { MAX_PAGE_KEY_LENGTH, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import { CLIP_WITH_PROGRESS_SCHEMA, clipWithProgressAnswer } from './clip-with-progress-type.ts';

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
const MAX_FILTER_ENTRIES = 500;
const PAGES = 'clipsWithProgress';
const SAVING_TIME = 'createdAtMs';
const CLIP_TIME = 'timestampMs';

export const CLIP_SEARCH_FIELDS = {
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

export const FOUND_CLIPS = {
  savedClips: listOf(CLIP_WITH_PROGRESS_SCHEMA, 'The clips.'),
  pageToken: nullable(plainText('Leads to the next page; absent on the last one.')),
};

/** The clips that match, as the caller may see them. Fails HTTP_… for a page token of another call. */
export async function findClips(
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
      clips.map(async (clip) => clipWithProgressAnswer(clip, await services.clips.progress(clip))),
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
