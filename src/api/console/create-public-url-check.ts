/** POST /api/console/createPublicUrlCheck: an address to open from outside. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

export const createPublicUrlCheck = defineEndpoint({
  path: '/api/console/createPublicUrlCheck',
  summary: 'Makes an address that shows whether the public media URL answers.',
  description:
    `${OPERATORS_ONLY} Open \`pageUrl\` from another network; \`getPublicUrlVisits\` then says from where it was opened. The page says ` +
    'that the address works, and nothing else. It is valid for 15 minutes, until the gateway restarts, or until 32 newer ones exist.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({}),
  response: {
    checkId: plainText('For `getPublicUrlVisits`.'),
    pageUrl: plainText('The address.'),
    endsAtMs: int64('Until when it is valid, epoch milliseconds.'),
  },
  example: {
    request: {},
    response: {
      checkId: 'hb0gk7Yd0tqcS2lqz7m8Zg',
      pageUrl: 'https://video.example.com/reach/hb0gk7Yd0tqcS2lqz7m8Zg',
      endsAtMs: EXAMPLE_TIME_MS + 900_000,
    },
  },
  async handler({ caller, services }) {
    const { checkId, pageUrl, endsAtEpochMs } = await services.system.publicUrl.open(caller);
    return { checkId, pageUrl, endsAtMs: endsAtEpochMs };
  },
});
