/** All links of the organization, for people: pages, creators, and changes of many. */

import { type Static, Type } from 'typebox';
import { MAX_TIME_SEC } from '../../core/max-time.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { onlyFalse } from '../../http/fields/only-false.ts';
import { invalidField } from '../../http/request-body.ts';
import { requestSentence } from '../../http/request-sentences.ts';
import type { ApiServices } from '../../services/api-services.ts';
import { type BulkShareChange, changeShares, MAX_BULK_SHARES } from '../../sharing/bulk-share-changes.ts';
import { LINK_KINDS } from '../../sharing/share-catalog.ts';
import {
  MAX_OVERVIEW_ROWS,
  OVERVIEW_ORDERS,
  OVERVIEW_STATES,
  type OverviewCounts,
  type OverviewQuery,
  type OverviewRow,
} from '../../sharing/share-overview.ts';
import { MAX_SHARE_CREATORS } from '../../store/audit.ts';
import { mayShare } from '../types/caller-rights.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_SCHEDULE_UUID,
  EXAMPLE_SHARE_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_TOKEN_UUID,
} from '../types/examples.ts';
import { EXAMPLE_CREATED_SHARE } from '../types/share-fields.ts';
import {
  NOT_VISIBLE_REASON,
  notVisibleReason,
  VISIBILITY_CHANGE_SCHEMA,
  visibilityChangeResponse,
} from './shared-stream-viewers.ts';

const DEFAULT_PAGE_ROWS = 100;
/** More than an organization can have. */
const MAX_OFFSET = 1_000_000;

const LINK_SCHEMA = namedType('SharedStreamOverview', {
  kind: oneOf(LINK_KINDS, 'What the link opens.'),
  uuid: ruuid('The shared live stream, the shared video wall or the shared group.'),
  name: plainText('Its name; of a shared video wall, that of the wall.'),
  cameraUuid: nullable(ruuid('Its camera; absent if it shows several, or none.')),
  cameraName: plainText('The camera’s name; empty if there is none.'),
  cameraCount: nullable(int32('Of a shared video wall, how many cameras it has.')),
  videoWallUuid: nullable(ruuid('Of a shared video wall, the wall.')),
  timeZones: listOf(plainText('Time zone.'), 'The time zones of its cameras.'),
  locationUuid: nullable(ruuid('The camera’s location.')),
  locationName: plainText('The location’s name; empty if there is none.'),
  state: oneOf(OVERVIEW_STATES, 'What it shows now.'),
  reason: NOT_VISIBLE_REASON,
  nextChange: nullable(VISIBILITY_CHANGE_SCHEMA),
  viewerCount: int32('Viewers now; of a shared video wall, those of the camera with the most.'),
  lastViewedAtMs: nullable(
    int64('When someone last watched, epoch milliseconds; absent if the audit trail does not say.'),
  ),
  scheduleUuid: nullable(ruuid('Its schedule.')),
  scheduleName: nullable(plainText('The schedule’s name; absent also if it no longer exists.')),
  invertSchedule: flag('Whether the schedule hides it instead.'),
  expirationTime: nullable(int64('The first epoch second at which it shows nothing; absent: it never ends.')),
  passwordProtected: flag('Whether viewers must enter a password.'),
  ssoProtected: flag('Whether viewers must sign in with the provider of single sign-on.'),
  cdn: nullable(
    flag(
      'Of a shared live stream, whether a cache or CDN can serve its live HLS video; absent: as the configuration says.',
    ),
  ),
  talk: nullable(
    flag(
      'Of a shared live stream, whether viewers can talk to the camera; absent: they cannot hear it, so they never can.',
    ),
  ),
  showsUnmasked: flag(
    'Whether viewers see what the privacy masks of cameras cover; false for a group of files.',
  ),
  vodEnabled: flag('Whether viewers can also watch the past.'),
  vodPastSecs: nullable(
    int32('Of a shared live stream, how far back from now they can; absent: to its creation.'),
  ),
  vodExpirationTime: nullable(
    int64(
      'Of a shared live stream, the first epoch second at which they cannot; absent: as long as it plays.',
    ),
  ),
  createdAtMs: int64('When it was created, epoch milliseconds.'),
  creatorUuid: nullable(ruuid('Who created it; absent if the audit trail does not say.')),
  creatorName: nullable(plainText('Their name, or that of the API key.')),
  creatorLeft: flag('Whether that is a person who was removed or disabled since. The link works as before.'),
  pageUrl: plainText(
    'The page for viewers; empty for callers with the role `viewer`, who cannot pass on links.',
  ),
  m3u8Url: nullable(
    plainText(
      'Of a shared live stream, the HLS playlist for players and services; absent as `pageUrl` is empty.',
    ),
  ),
  mpdUrl: nullable(plainText('Of a shared live stream, the DASH manifest; absent like `m3u8Url`.')),
  rtspUrl: nullable(
    plainText('Of a shared live stream, the video by RTSP; absent like `m3u8Url`, and if RTSP is off.'),
  ),
});

const STATE_COUNTS_SCHEMA = namedType('SharedStreamStateCounts', {
  visible: int32('Those that viewers see.'),
  hidden: int32('Those that are hidden now.'),
  expired: int32('Those that have ended.'),
  cameraRemoved: int32('Those whose camera was removed.'),
  endingWithinDay: int32('Those that have not ended, and end within 24 hours.'),
});

const findSharedStreams = defineEndpoint({
  path: '/api/camera/findSharedStreams',
  summary:
    'Lists pages of the organization’s links with what they show now, who watches and what changes next.',
  description:
    'Shared live streams, shared video walls and shared groups of clips and timelapses, also expired ones. Filters ' +
    'combine. Without `order`, the newest are first. Links that are created or deleted in the meantime move the pages.',
  isExtension: true,
  request: Type.Object({
    text: Type.Optional(
      text(
        'Words in the names of the link, its camera, or its location. Order, upper or lower case, and accents do not count.',
      ),
    ),
    states: Type.Optional(listOf(oneOf(OVERVIEW_STATES, 'State.'), 'Only those in one of these states.', 4)),
    kinds: Type.Optional(listOf(oneOf(LINK_KINDS, 'Kind.'), 'Only these kinds.', 4)),
    uuids: Type.Optional(listOf(ruuid('Link.'), 'Only these.', MAX_OVERVIEW_ROWS)),
    cameraUuid: Type.Optional(deviceUuid('Only shares of this camera, and of video walls that show it.')),
    locationUuid: Type.Optional(ruuid('Only shares of cameras in this location.')),
    scheduleUuid: Type.Optional(
      ruuid('Only those with this schedule, and shared video walls of which one camera follows it.'),
    ),
    creatorUuid: Type.Optional(ruuid('Only those that this person or API key created.')),
    passwordProtected: Type.Optional(flag('Only those with a password, or only those without.')),
    expiresBefore: Type.Optional(
      int64('Only those that end before this epoch second, or have ended.', 0, MAX_TIME_SEC),
    ),
    order: Type.Optional(oneOf(OVERVIEW_ORDERS, 'What the list is sorted by. Default CREATED.')),
    isDescending: Type.Optional(flag('Whether the last are first. Default false, with CREATED true.')),
    withStateCounts: Type.Optional(flag('Whether `stateCounts` is returned. Default false.')),
    offset: Type.Optional(int32('How many to leave out at the start. Default 0.', 0, MAX_OFFSET)),
    limit: Type.Optional(
      int32(`How many to return at most. Default ${DEFAULT_PAGE_ROWS}.`, 1, MAX_OVERVIEW_ROWS),
    ),
  }),
  response: {
    sharedStreams: listOf(LINK_SCHEMA, 'The links of this page.'),
    totalCount: int32('How many match, on all pages.'),
    stateCounts: nullable(STATE_COUNTS_SCHEMA),
  },
  example: {
    request: { text: 'desk', states: ['VISIBLE'], order: 'NAME', limit: 50 },
    response: {
      sharedStreams: [
        {
          kind: 'STREAM',
          uuid: EXAMPLE_SHARE_UUID,
          name: 'Front desk',
          cameraCount: null,
          cameraUuid: EXAMPLE_CAMERA_UUID,
          cameraName: 'Lobby',
          videoWallUuid: null,
          timeZones: ['America/New_York'],
          locationUuid: EXAMPLE_LOCATION_UUID,
          locationName: 'Harbor',
          state: 'VISIBLE',
          reason: null,
          nextChange: { atMs: EXAMPLE_TIME_MS + 3_600_000, isVisible: false, reason: 'hidden-by-schedule' },
          viewerCount: 2,
          lastViewedAtMs: EXAMPLE_TIME_MS,
          scheduleUuid: EXAMPLE_SCHEDULE_UUID,
          scheduleName: 'Office hours',
          invertSchedule: false,
          expirationTime: null,
          passwordProtected: true,
          ssoProtected: false,
          cdn: null,
          talk: false,
          showsUnmasked: false,
          vodEnabled: true,
          vodPastSecs: 86_400,
          vodExpirationTime: null,
          createdAtMs: EXAMPLE_TIME_MS,
          creatorUuid: EXAMPLE_TOKEN_UUID,
          creatorName: 'Front office',
          creatorLeft: false,
          pageUrl: EXAMPLE_CREATED_SHARE.sharedLiveVideoStreamUrl,
          m3u8Url: EXAMPLE_CREATED_SHARE.sharedLiveM3U8StreamUrl,
          mpdUrl: mpdUrlOf(EXAMPLE_CREATED_SHARE.sharedLiveM3U8StreamUrl),
          rtspUrl: EXAMPLE_CREATED_SHARE.sharedLiveRtspStreamUrl,
        },
      ],
      totalCount: 1,
      stateCounts: null,
    },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { text: wanted, states, kinds, uuids, cameraUuid, locationUuid, scheduleUuid, creatorUuid } = body;
    const { passwordProtected: isProtected, expiresBefore: expiresBeforeSec } = body;
    const { order = 'CREATED', offset = 0, limit = DEFAULT_PAGE_ROWS } = body;
    const query: OverviewQuery = {
      ...given({ text: wanted, states, kinds, cameraUuid, locationUuid, scheduleUuid }),
      ...given({ uuids, creatorUuid, isProtected, expiresBeforeSec }),
      order,
      isDescending: body.isDescending ?? order === 'CREATED',
      withStateCounts: body.withStateCounts ?? false,
      offset,
      limit,
    };
    const { rows, total, counts } = await services.shareOverview.page(orgUuid, query);
    const hasLinks = mayShare(context);
    return {
      sharedStreams: rows.map((row) => linkResponse(row, services, hasLinks)),
      totalCount: total,
      stateCounts: counts === null ? null : countsResponse(counts),
    };
  },
});

function countsResponse({ byState, endingWithinDay }: OverviewCounts): Static<typeof STATE_COUNTS_SCHEMA> {
  const { VISIBLE, HIDDEN, EXPIRED, CAMERA_REMOVED } = byState;
  return {
    visible: VISIBLE,
    hidden: HIDDEN,
    expired: EXPIRED,
    cameraRemoved: CAMERA_REMOVED,
    endingWithinDay,
  };
}

/** Leaves out absent fields. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function linkResponse(
  row: OverviewRow,
  services: ApiServices,
  hasLinks: boolean,
): Static<typeof LINK_SCHEMA> {
  const { link, name, cameraName, cameraCount, locationUuid, locationName, scheduleName, state } = row;
  const { kind, uuid, cameraUuid, scheduleUuid, invertSchedule, isProtected, createdAtMs } = link;
  return {
    kind,
    uuid,
    name,
    cameraUuid,
    cameraName,
    cameraCount,
    locationUuid,
    locationName,
    state,
    videoWallUuid: row.wallUuid,
    timeZones: [...row.timeZones],
    reason: notVisibleReason(row.visibility.reason),
    nextChange: visibilityChangeResponse(row.next),
    viewerCount: row.viewers,
    lastViewedAtMs: row.lastViewedAtMs,
    scheduleUuid,
    scheduleName,
    invertSchedule,
    expirationTime: link.expiresAtSec,
    passwordProtected: isProtected,
    ssoProtected: link.ssoProtected,
    cdn: link.cdn,
    talk: link.talk,
    showsUnmasked: link.showsUnmasked,
    vodEnabled: link.vodEnabled,
    vodPastSecs: link.vodPastSec,
    vodExpirationTime: link.vodExpiresAtSec,
    createdAtMs,
    creatorUuid: row.creator?.uuid ?? null,
    creatorName: row.creator?.name ?? null,
    creatorLeft: row.hasCreatorLeft,
    ...(hasLinks ? linksOf(row, services) : NO_LINKS),
  };
}

interface Links {
  readonly pageUrl: string;
  readonly m3u8Url: string | null;
  readonly mpdUrl: string | null;
  readonly rtspUrl: string | null;
}

const NO_LINKS: Links = { pageUrl: '', m3u8Url: null, mpdUrl: null, rtspUrl: null };

function linksOf({ link }: OverviewRow, { shares, wallShares, sharedGroups }: ApiServices): Links {
  if (link.kind === 'STREAM') {
    const urls = shares.urls(link);
    return { ...urls, mpdUrl: mpdUrlOf(urls.m3u8Url) };
  }
  const pages = link.kind === 'WALL' ? wallShares : sharedGroups;
  return { ...NO_LINKS, pageUrl: pages.pageUrl(link) };
}

/** Next to the playlist. */
function mpdUrlOf(m3u8Url: string): string {
  return m3u8Url.replace(/[^/]*$/, 'file.mpd');
}

const CREATOR_SCHEMA = namedType('SharedStreamCreator', {
  creatorUuid: ruuid('The person or API key.'),
  creatorName: plainText('Their name.'),
});

const findSharedStreamCreators = defineEndpoint({
  path: '/api/camera/findSharedStreamCreators',
  summary: 'Lists who created links.',
  description:
    `By name, at most ${MAX_SHARE_CREATORS}: people and API keys that created links, as far as the audit trail says, also of ` +
    'links that were deleted. `findSharedStreams` lists the links of one of them.',
  isExtension: true,
  request: Type.Object({}),
  response: { creators: listOf(CREATOR_SCHEMA, 'The creators.') },
  example: {
    request: {},
    response: { creators: [{ creatorUuid: EXAMPLE_TOKEN_UUID, creatorName: 'Front office' }] },
  },
  async handler({ orgUuid, services }) {
    const creators = await services.shareOverview.creators(orgUuid);
    return { creators: creators.map(({ uuid, name }) => ({ creatorUuid: uuid, creatorName: name })) };
  },
});

const ACTIONS = ['DELETE', 'SET_EXPIRATION', 'REMOVE_EXPIRATION'] as const;

const RESULT_SCHEMA = namedType('BulkSharedStreamResult', {
  uuid: ruuid('The share.'),
  errorMsg: nullable(plainText('Why it was not changed; absent: it was.')),
});

const bulkUpdateSharedStreams = defineEndpoint({
  path: '/api/camera/bulkUpdateSharedStreams',
  summary: 'Deletes many shared live streams, or sets when they end.',
  description:
    'Each share is changed as by `deleteSharedLiveVideoStream` or `updateSharedLiveVideoStream`, entirely or not at all. If ' +
    'one is refused, the others are changed all the same; `results` says which. When the call returns, all views that ' +
    'the changes end have ended.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    sharedLiveVideoStreamUuids: listOf(ruuid('Share.'), 'The shares.', MAX_BULK_SHARES),
    action: oneOf(ACTIONS, 'What happens to each.'),
    expirationTimeSecs: Type.Optional(
      int32(
        'With SET_EXPIRATION, when they end: values below 1,000,000,000 are seconds from now, others epoch seconds.',
      ),
    ),
    ssoProtected: Type.Optional(
      onlyFalse(
        'This call only ends and extends: true is refused.',
        'this call only ends and extends shares. Change it with /api/camera/updateSharedLiveVideoStream.',
      ),
    ),
  }),
  response: {
    results: listOf(RESULT_SCHEMA, 'What became of each share, in order.'),
    changedCount: int32('How many were changed.'),
  },
  example: {
    request: {
      sharedLiveVideoStreamUuids: [EXAMPLE_SHARE_UUID],
      action: 'SET_EXPIRATION',
      expirationTimeSecs: 86_400,
    },
    response: { results: [{ uuid: EXAMPLE_SHARE_UUID, errorMsg: null }], changedCount: 1 },
  },
  async handler({ orgUuid, services }, { sharedLiveVideoStreamUuids, action, expirationTimeSecs }) {
    const change = changeOf(action, expirationTimeSecs);
    const results = await changeShares(services.shares, orgUuid, sharedLiveVideoStreamUuids, change);
    return {
      results: results.map(({ shareUuid, error }) => ({
        uuid: shareUuid,
        errorMsg: error === null ? null : requestSentence(error),
      })),
      changedCount: results.filter(({ error }) => error === null).length,
    };
  },
});

/** Fails INVALID_FIELD. */
function changeOf(action: (typeof ACTIONS)[number], expirationTimeSecs: number | undefined): BulkShareChange {
  if (action === 'SET_EXPIRATION') {
    if (expirationTimeSecs === undefined) {
      throw invalidField('expirationTimeSecs is required with action SET_EXPIRATION.');
    }
    return { kind: 'expire', expirationTimeSecs };
  }
  if (expirationTimeSecs !== undefined) {
    throw invalidField(`expirationTimeSecs must be absent with action ${action}.`);
  }
  return action === 'DELETE' ? { kind: 'delete' } : { kind: 'expire', expirationTimeSecs: null };
}

export const SHARED_STREAM_OVERVIEW_ENDPOINTS: readonly Endpoint[] = [
  findSharedStreams,
  findSharedStreamCreators,
  bulkUpdateSharedStreams,
];
