/** POST /api/console/signOut: ends the session of the browser. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { NOTHING } from './console-types.ts';

export const signOut = defineEndpoint({
  path: '/api/console/signOut',
  summary: 'Ends the session of the browser that calls.',
  description:
    'The session ends at once, and the browser forgets its cookie. Also succeeds if the session has already ended. Only ' +
    'pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  request: NOTHING,
  response: {},
  example: { request: {}, response: {} },
  async handler(context) {
    const { services, client } = context;
    if (client.sessionToken !== null) await services.consoleSessions.endByToken(client.sessionToken);
    context.changeSession(null);
    return {};
  },
});
