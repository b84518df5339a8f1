/** POST /api/console/signOut: ends the session of the browser. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { flag } from '../../http/fields/field-types.ts';
import { NOTHING } from './console-types.ts';

export const signOut = defineEndpoint({
  path: '/api/console/signOut',
  summary: 'Ends the session of the browser that calls.',
  description:
    'The session ends at once, and the browser forgets its cookie. Also succeeds if the session has already ended. If ' +
    '`continuesAtProvider` is true, the person is still signed in at the provider: lead the browser to ' +
    '`/console/oidc/end`, which leads on to the provider’s page for signing out, or back to the console if it has none. ' +
    'Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'same-outcome',
  request: NOTHING,
  response: {
    continuesAtProvider: flag(
      'Whether the session began at the sign-in provider, which has a session of its own.',
    ),
  },
  example: { request: {}, response: { continuesAtProvider: false } },
  async handler(context) {
    const { services, client, callerIfAny } = context;
    const { sessionToken: token } = client;
    const ended = token === null ? null : await services.consoleSessions.signOut(token, callerIfAny);
    context.changeSession(null);
    // The provider may have been taken out of the configuration since.
    return { continuesAtProvider: ended?.method === 'oidc' && services.ssoLabel !== null };
  },
});
