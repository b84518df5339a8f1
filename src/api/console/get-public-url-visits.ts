/** POST /api/console/getPublicUrlVisits: from where the address of a check was opened. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, text } from '../../http/fields/field-types.ts';
import { MAX_VISITORS } from '../../system/public-url-visits.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';
import { PUBLIC_URL_VISIT_SCHEMA, visitAnswer } from './public-url-types.ts';

const MAX_ID_CHARS = 64;

export const getPublicUrlVisits = defineEndpoint({
  path: '/api/console/getPublicUrlVisits',
  summary: 'Reads from where the address of a check was opened.',
  description: `${OPERATORS_ONLY} The last ${MAX_VISITORS} addresses, each with the time when it was last there.`,
  isExtension: true,
  request: Type.Object({ checkId: text('From `createPublicUrlCheck`.', MAX_ID_CHARS) }),
  response: { visits: listOf(PUBLIC_URL_VISIT_SCHEMA, 'The last one first.') },
  example: {
    request: { checkId: 'hb0gk7Yd0tqcS2lqz7m8Zg' },
    response: {
      visits: [
        {
          ...{
            address: '198.51.100.7',
            reach: 'everyone',
            peerAddress: '127.0.0.1',
            proxyHeaders: ['x-forwarded-for'],
          },
          openedAt: new Date(EXAMPLE_TIME_MS).toISOString(),
        },
      ],
    },
  },
  async handler({ caller, services }, { checkId }) {
    const visits = await services.system.publicUrl.visits(caller, checkId);
    return { visits: visits.map(visitAnswer) };
  },
});
