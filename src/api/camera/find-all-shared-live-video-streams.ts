/** POST /api/camera/findAllSharedLiveVideoStreams: every share of the organization. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_SHARED_STREAM } from '../types/examples.ts';
import { sharedStreamAnswers } from '../types/share-endpoints.ts';
import { SHARED_STREAM_SCHEMA } from '../types/share-fields.ts';

export const findAllSharedLiveVideoStreams = defineEndpoint({
  path: '/api/camera/findAllSharedLiveVideoStreams',
  summary: 'Lists the shared live streams of the organization.',
  description: 'Of all cameras and doorbell cameras, newest first, including expired ones.',
  request: Type.Object({}),
  response: { sharedLiveVideoStreams: listOf(SHARED_STREAM_SCHEMA, 'The shares.') },
  example: { request: {}, response: { sharedLiveVideoStreams: [EXAMPLE_SHARED_STREAM] } },
  async handler(context) {
    const shares = await context.services.shares.listNewestFirst(context.orgUuid);
    return { sharedLiveVideoStreams: sharedStreamAnswers(context, shares) };
  },
});
