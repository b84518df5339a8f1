/** POST /api/console/beginPasskeySignIn: what a browser needs to sign someone in with a passkey. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { NOTHING } from './console-types.ts';
import { EXAMPLE_REQUEST, REQUEST_PROPERTIES, requestAnswer } from './passkey-types.ts';

export const beginPasskeySignIn = defineEndpoint({
  path: '/api/console/beginPasskeySignIn',
  summary: 'Begins to sign a person in with a passkey.',
  description:
    'The response goes to `navigator.credentials.get`, what that returns to `/api/console/signInWithPasskey`. It names no ' +
    'one: the passkey says whose it is. The challenge works once, for five minutes, and only in the browser that asked, ' +
    'which gets a cookie for it. Needs no credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'expires',
  request: NOTHING,
  response: REQUEST_PROPERTIES,
  example: {
    request: {},
    response: { ...EXAMPLE_REQUEST, publicKey: { ...EXAMPLE_REQUEST.publicKey, allowCredentials: [] } },
  },
  async handler(context) {
    const { browserToken, ...request } = await context.services.passkeys.beginSignIn(context.client);
    context.tieBrowser(browserToken);
    return requestAnswer(request);
  },
});
