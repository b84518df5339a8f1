/** POST /api/camera/getSharedStreamViewers: who watches by one link now. */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
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
} from '../../http/fields/field-types.ts';
import { type LinkViewer, MAX_LISTED_VIEWERS } from '../../sharing/share-viewers.ts';
import { maySeeAddresses } from '../types/caller-rights.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { BLOCKED_ADDRESS_SCHEMA, blockedAddressAnswer, LINK_INPUT } from './viewer-types.ts';

const STREAMS = ['MAIN', 'SUB', 'H264'] as const;
const PROTOCOLS = ['HLS', 'DASH', 'WEBSOCKET', 'FILE'] as const;

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
  isCounted: flag('Whether it counts as a viewer: of one address, only the first three count at once.'),
  cameraUuids: listOf(
    ruuid('Camera.'),
    'Of a shared video wall, the cameras that it watches; otherwise empty.',
  ),
});

export const getSharedStreamViewers = defineEndpoint({
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
      viewers: hasAddresses ? found.viewers.map(viewerAnswer) : [],
      totalCount: found.total,
      lastViewedAtMs: found.lastViewedAtMs,
      blockedAddresses: hasAddresses ? found.blocked.map(blockedAddressAnswer) : [],
    };
  },
});

const STREAM_BY_PROFILE = { main: 'MAIN', sub: 'SUB', h264: 'H264' } as const;
const PROTOCOL_NAMES = { hls: 'HLS', dash: 'DASH', websocket: 'WEBSOCKET', file: 'FILE' } as const;

function viewerAnswer(viewer: LinkViewer): Static<typeof VIEWER_SCHEMA> {
  const { viewerId, address, userAgent, isInPast, sentBytes, isCounted, protocol, profile } = viewer;
  return {
    ...{ viewerId, address, userAgent, isInPast, sentBytes, isCounted },
    sinceMs: viewer.sinceEpochMs,
    lastRequestMs: viewer.lastRequestEpochMs,
    protocol: protocol === null ? null : PROTOCOL_NAMES[protocol],
    stream: profile === null ? null : STREAM_BY_PROFILE[profile],
    cameraUuids: [...viewer.cameraUuids],
  };
}
