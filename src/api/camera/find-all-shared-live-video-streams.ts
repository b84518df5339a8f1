/** POST /api/camera/findAllSharedLiveVideoStreams: every share of the organization. */

import { Type } from 'typebox';
import { LIMITS } from '../../core/limits/registry.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_SHARED_STREAM } from '../types/examples.ts';
import { sharedStreamAnswers } from '../types/share-endpoints.ts';
import { SHARED_STREAM_SCHEMA } from '../types/share-fields.ts';

const MOST = LIMITS.shares.perOrganization;

export const findAllSharedLiveVideoStreams = defineEndpoint({
  path: '/api/camera/findAllSharedLiveVideoStreams',
  summary: 'Lists the shared live streams of the organization.',
  description:
    'Of all cameras and doorbell cameras, newest first, including those that expired within the last 30 days.',
  request: Type.Object({}),
  response: { sharedLiveVideoStreams: listOf(SHARED_STREAM_SCHEMA, 'The shares.') },
  example: { request: {}, response: { sharedLiveVideoStreams: [EXAMPLE_SHARED_STREAM] } },
  async handler(context) {
    const shares = await context.services.shares.listNewestFirst(context.orgUuid);
    if (shares.mostItems >= MOST) {
      context.warn(
        `At most the newest ${MOST.toLocaleString('en')} shares are listed. /api/camera/findSharedStreams has pages.`,
      );
    }
    return { sharedLiveVideoStreams: sharedStreamAnswers(context, shares) };
  },
});
