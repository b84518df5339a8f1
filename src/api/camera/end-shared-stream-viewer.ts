/** POST /api/camera/endSharedStreamViewer: ends one view of a link. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, nullable, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { BLOCKED_ADDRESS_SCHEMA, blockedAddressAnswer, LINK_INPUT } from './viewer-types.ts';

/** A day. */
export const MAX_BLOCK_MINUTES = 1_440;
const MAX_VIEWER_ID_CHARS = 32;

const STORED_FOR_SILENT =
  'These nodes did not answer, so views there are not counted. They end as soon as the node reads the database';
const UNKNOWN_TO_SILENT = 'These nodes did not answer and do not know of this, so views there go on';

export const endSharedStreamViewer = defineEndpoint({
  path: '/api/camera/endSharedStreamViewer',
  summary: 'Ends one view of a link.',
  description:
    'When the call returns, the viewer’s waiting requests have ended with 403 `viewer-ended`, the media on their way to it ' +
    'were cut, and nothing that it was given works again. **Whoever has the link can open it again and is a new viewer ' +
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
        'For how long the viewer’s address cannot open the link. Absent: it can at once.',
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
      blockedAddress: ended.blocked === null ? null : blockedAddressAnswer(ended.blocked),
    };
  },
});
