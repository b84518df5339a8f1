/** Calls about a link's content and its viewers. */

import { type Static, Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
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
import type { BlockedAddress } from '../../sharing/ended-views.ts';
import { LINK_KINDS } from '../../sharing/share-catalog.ts';
import type { LinkVisibility } from '../../sharing/share-overview.ts';
import { type LinkViewer, MAX_LISTED_VIEWERS } from '../../sharing/share-viewers.ts';
import type { VisibilityChange } from '../../sharing/share-visibility.ts';
import { maySeeAddresses } from '../types/caller-rights.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

/** The part of the access decision's reasons that does not depend on who asks. */
const NOT_VISIBLE_REASONS = ['expired', 'hidden-by-schedule', 'device-removed'] as const;

type NotVisibleReason = (typeof NOT_VISIBLE_REASONS)[number];

export const NOT_VISIBLE_REASON = nullable(
  oneOf(NOT_VISIBLE_REASONS, 'Why it shows nothing, as viewers learn it; absent: it is visible.'),
);

export const VISIBILITY_CHANGE_SCHEMA = namedType('SharedStreamVisibilityChange', {
  atMs: int64('When, epoch milliseconds.'),
  isVisible: flag('Whether it is visible from then on.'),
  reason: NOT_VISIBLE_REASON,
});

/** Everyone who has the link and the password is asked about, so nothing else is left. */
export function notVisibleReason(reason: string | null): NotVisibleReason | null {
  return NOT_VISIBLE_REASONS.find((one) => one === reason) ?? null;
}

export function visibilityChangeResponse(
  change: VisibilityChange | null,
): Static<typeof VISIBILITY_CHANGE_SCHEMA> | null {
  if (change === null) return null;
  const { atEpochMs, isVisible, reason } = change;
  return { atMs: atEpochMs, isVisible, reason: notVisibleReason(reason) };
}

const LINK_INPUT = ruuid('The shared live stream, the shared video wall or the shared group.');

const BLOCKED_ADDRESS_SCHEMA = namedType('BlockedSharedStreamAddress', {
  address: plainText('The address; an IPv6 address stands for its /64.'),
  untilMs: int64('When it can open the link again, epoch milliseconds.'),
});

function blockedAddressResponse({
  address,
  untilEpochMs,
}: BlockedAddress): Static<typeof BLOCKED_ADDRESS_SCHEMA> {
  return { address, untilMs: untilEpochMs };
}

/** 2026-12-01T14:00Z, 9:00 in New York. */
const EXAMPLE_AT_MS = 1_796_133_600_000;

const SENTENCE = plainText('The same as a sentence, with the local time of the camera.');

const WALL_CAMERA_SCHEMA = namedType('SharedVideoWallCameraVisibility', {
  cameraUuid: ruuid('The camera.'),
  cameraName: plainText('Its name.'),
  isVisible: flag('Whether its tile shows video.'),
  reason: NOT_VISIBLE_REASON,
  sentence: SENTENCE,
  nextChange: nullable(VISIBILITY_CHANGE_SCHEMA),
});

const getSharedStreamVisibility = defineEndpoint({
  path: '/api/camera/getSharedStreamVisibility',
  summary: 'Says what a link shows at a chosen time, and why.',
  description:
    'Asks the access decision that viewers are let in by, as someone who has the link and its password. It knows the ' +
    'rules as they are now, for times in the past too. A shared video wall is visible while one of its cameras is. ' +
    'Whether the camera is online then, no one can say.',
  isExtension: true,
  request: Type.Object({
    uuid: LINK_INPUT,
    atMs: Type.Optional(int64('The time, in epoch milliseconds; now if absent.', 0, MAX_TIME_MS)),
  }),
  response: {
    kind: oneOf(LINK_KINDS, 'What the link opens.'),
    atMs: int64('The time that the response is about, epoch milliseconds.'),
    timeZone: plainText(
      'The time zone of the camera’s location; UTC if it has none, or the link shows several.',
    ),
    isVisible: flag('Whether the link shows something.'),
    reason: NOT_VISIBLE_REASON,
    sentence: SENTENCE,
    nextChange: nullable(VISIBILITY_CHANGE_SCHEMA),
    passwordProtected: flag('Whether viewers must enter a password first.'),
    cameras: listOf(WALL_CAMERA_SCHEMA, 'The cameras of a shared video wall, in order; otherwise empty.'),
  },
  example: {
    request: { uuid: EXAMPLE_SHARE_UUID, atMs: EXAMPLE_AT_MS },
    response: {
      kind: 'STREAM',
      atMs: EXAMPLE_AT_MS,
      timeZone: 'America/New_York',
      isVisible: true,
      reason: null,
      sentence: 'Visible at 2026-12-01 09:00 because the schedule ‘Office hours’ is active.',
      nextChange: { atMs: EXAMPLE_AT_MS + 28_800_000, isVisible: false, reason: 'hidden-by-schedule' },
      passwordProtected: false,
      cameras: [],
    },
  },
  async handler(context, { uuid, atMs }) {
    const { orgUuid, services } = context;
    const found = await services.shareOverview.visibility(orgUuid, uuid, atMs);
    const { link, timeZone, cameras } = found;
    if (found.atMs < link.createdAtMs) context.warn('The link was created after this time.');
    return {
      kind: link.kind,
      atMs: found.atMs,
      timeZone,
      ...shownResponse(found),
      passwordProtected: link.isProtected,
      cameras: cameras.map((camera) => ({
        cameraUuid: camera.cameraUuid,
        cameraName: camera.name,
        ...shownResponse(camera),
      })),
    };
  },
});

function shownResponse({
  visibility,
  sentence,
  next,
}: Pick<LinkVisibility, 'visibility' | 'sentence' | 'next'>): Omit<
  Static<typeof WALL_CAMERA_SCHEMA>,
  'cameraUuid' | 'cameraName'
> {
  const { isVisible, reason } = visibility;
  const nextChange = visibilityChangeResponse(next);
  return { isVisible, reason: notVisibleReason(reason), sentence, nextChange };
}

const STREAMS = ['MAIN', 'SUB', 'H264'] as const;
const PROTOCOLS = ['HLS', 'DASH', 'WEBSOCKET', 'RTSP', 'FILE'] as const;

const VIEWER_SCHEMA = namedType('SharedStreamViewer', {
  viewerId: plainText('Its ID. Opening the link again gives a new one.'),
  sinceMs: int64('When its first request arrived, epoch milliseconds.'),
  lastRequestMs: int64('When it was last present, to the second, epoch milliseconds.'),
  address: plainText('The address of its first request; empty if unknown.'),
  userAgent: plainText('The first 200 characters of what its program calls itself; empty if unknown.'),
  protocol: nullable(
    oneOf(PROTOCOLS, 'How it last got media; FILE means a movie, a clip or an image. Absent: no media yet.'),
  ),
  stream: nullable(oneOf(STREAMS, 'The live stream that it last got; absent: none yet.')),
  isInPast: flag('Whether it last got what was recorded.'),
  sentBytes: int64('Bytes of bodies sent to it.', 0, Number.MAX_SAFE_INTEGER),
  isCounted: flag(
    'Whether it counts as a viewer: of one address, only the first three count at the same time.',
  ),
  cameraUuids: listOf(
    ruuid('Camera.'),
    'Of a shared video wall, the cameras that it watches; otherwise empty.',
  ),
});

const getSharedStreamViewers = defineEndpoint({
  path: '/api/camera/getSharedStreamViewers',
  summary: 'Lists who watches by a link now.',
  description:
    'Of a shared live stream, a shared video wall or a shared group of clips or timelapses. In a cluster, those of all ' +
    'nodes; if a node does not answer within a second, a warning names it, and its viewers are not listed. In ' +
    `order of arrival, the first ${MAX_LISTED_VIEWERS.toLocaleString('en')}; \`totalCount\` counts all. Someone who opened ` +
    'the link and requested nothing for 15 seconds is no longer listed. `lastViewedAtMs` comes from the audit trail, which ' +
    'a restart does not change; if the trail was trimmed since, it is absent. For a video wall, it is the last opening. ' +
    'Callers with the role `viewer` learn how many watch: for them, `viewers` and `blockedAddresses` are empty.',
  isExtension: true,
  request: Type.Object({ sharedLiveVideoStreamUuid: LINK_INPUT }),
  response: {
    viewers: listOf(VIEWER_SCHEMA, 'The viewers; empty for callers with the role `viewer`.'),
    totalCount: int32('How many there are.'),
    lastViewedAtMs: nullable(int64('When someone last watched, epoch milliseconds; absent if unknown.')),
    blockedAddresses: listOf(
      BLOCKED_ADDRESS_SCHEMA,
      'Addresses that cannot open the link now; empty for callers with the role `viewer`.',
    ),
  },
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID },
    response: {
      viewers: [
        {
          viewerId: 'q83vASNFZ4k',
          sinceMs: EXAMPLE_TIME_MS,
          lastRequestMs: EXAMPLE_TIME_MS + 61_000,
          address: '192.0.2.10',
          userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)',
          protocol: 'HLS',
          stream: 'MAIN',
          isInPast: false,
          sentBytes: 15_400_000,
          isCounted: true,
          cameraUuids: [],
        },
      ],
      totalCount: 1,
      lastViewedAtMs: EXAMPLE_TIME_MS + 61_000,
      blockedAddresses: [],
    },
  },
  async handler(context, { sharedLiveVideoStreamUuid }) {
    const { orgUuid, services } = context;
    const found = await services.viewers.list(orgUuid, sharedLiveVideoStreamUuid);
    const silent = found.silentNodes ?? [];
    if (silent.length > 0) {
      context.warn(`These nodes did not answer, so their viewers are not listed: ${silent.join(', ')}.`);
    }
    const hasAddresses = maySeeAddresses(context);
    return {
      viewers: hasAddresses ? found.viewers.map(viewerResponse) : [],
      totalCount: found.total,
      lastViewedAtMs: found.lastViewedAtMs,
      blockedAddresses: hasAddresses ? found.blocked.map(blockedAddressResponse) : [],
    };
  },
});

const STREAM_BY_PROFILE = { main: 'MAIN', sub: 'SUB', h264: 'H264' } as const;
const PROTOCOL_NAMES = {
  hls: 'HLS',
  dash: 'DASH',
  websocket: 'WEBSOCKET',
  rtsp: 'RTSP',
  file: 'FILE',
} as const;

function viewerResponse(viewer: LinkViewer): Static<typeof VIEWER_SCHEMA> {
  const { viewerId, address, userAgent, isInPast, sentBytes, isCounted, protocol, profile } = viewer;
  return {
    viewerId,
    address,
    userAgent,
    isInPast,
    sentBytes,
    isCounted,
    sinceMs: viewer.sinceEpochMs,
    lastRequestMs: viewer.lastRequestEpochMs,
    protocol: protocol === null ? null : PROTOCOL_NAMES[protocol],
    stream: profile === null ? null : STREAM_BY_PROFILE[profile],
    cameraUuids: [...viewer.cameraUuids],
  };
}

/** A day. */
const MAX_BLOCK_MINUTES = 1_440;
const MAX_VIEWER_ID_CHARS = 32;

const STORED_FOR_SILENT =
  'These nodes did not answer, so views there are not counted. They end as soon as the node reads the database';
const UNKNOWN_TO_SILENT = 'These nodes did not answer and do not know of this, so views there go on';

const endSharedStreamViewer = defineEndpoint({
  path: '/api/camera/endSharedStreamViewer',
  summary: 'Ends one view of a link.',
  description:
    'When the call returns, the viewer’s waiting requests have ended with 403 `viewer-ended`, the media on their way to it ' +
    'were cut, and nothing that it was given works again. **Anyone who has the link can open it again and is a new viewer ' +
    'then.** `blockMinutes` prevents that for the viewer’s address: for that long, no one can open this link from there, ' +
    'and other views of it from there end too. People in one building often share an address, and so does everyone behind ' +
    'a reverse proxy that `trustProxy` does not name. To keep out someone who has other addresses, change the password or ' +
    'delete the share. Both outlast a restart of the gateway. In a cluster, call any node: the view ends at all of them. ' +
    '`warningMsg` names nodes that did not answer.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    sharedLiveVideoStreamUuid: LINK_INPUT,
    viewerId: text('The viewer, as `getSharedStreamViewers` lists it.', MAX_VIEWER_ID_CHARS),
    blockMinutes: Type.Optional(
      int32(
        'For how long the viewer’s address cannot open the link. Absent: it can immediately.',
        1,
        MAX_BLOCK_MINUTES,
      ),
    ),
  }),
  response: {
    endedCount: int32('How many views ended.'),
    blockedAddress: nullable(BLOCKED_ADDRESS_SCHEMA),
  },
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID, viewerId: 'q83vASNFZ4k', blockMinutes: 60 },
    response: {
      endedCount: 1,
      blockedAddress: { address: '192.0.2.10', untilMs: EXAMPLE_TIME_MS + 3_600_000 },
    },
  },
  async handler(context, { sharedLiveVideoStreamUuid, viewerId, blockMinutes = null }) {
    const { orgUuid, services } = context;
    const ended = await services.viewers.end(orgUuid, sharedLiveVideoStreamUuid, viewerId, blockMinutes);
    if (blockMinutes !== null && ended.blocked === null) {
      context.warn('The address of the viewer is unknown, so nothing is blocked.');
    }
    if (!ended.isStored) {
      context.warn('The store could not save this, so a restart of the gateway lets the viewer in again.');
    }
    const silent = ended.silentNodes.join(', ');
    if (silent !== '') context.warn(`${ended.isStored ? STORED_FOR_SILENT : UNKNOWN_TO_SILENT}: ${silent}.`);
    return {
      endedCount: ended.endedViews,
      blockedAddress: ended.blocked === null ? null : blockedAddressResponse(ended.blocked),
    };
  },
});

const MAX_ADDRESS_CHARS = 64;

const unblockSharedStreamAddress = defineEndpoint({
  path: '/api/camera/unblockSharedStreamAddress',
  summary: 'Lets an address open a link again.',
  description: 'Lifts a block of `endSharedStreamViewer` before its time. Views that were ended stay ended.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    sharedLiveVideoStreamUuid: LINK_INPUT,
    address: text(
      'The address, as `getSharedStreamViewers` lists it, or one that it stands for.',
      MAX_ADDRESS_CHARS,
    ),
  }),
  response: {},
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID, address: '192.0.2.10' },
    response: {},
  },
  async handler({ orgUuid, services }, { sharedLiveVideoStreamUuid, address }) {
    await services.viewers.unblock(orgUuid, sharedLiveVideoStreamUuid, address);
    return {};
  },
});

export const SHARED_STREAM_VIEWER_ENDPOINTS: readonly Endpoint[] = [
  getSharedStreamVisibility,
  getSharedStreamViewers,
  endSharedStreamViewer,
  unblockSharedStreamAddress,
];
