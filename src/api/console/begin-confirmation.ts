/** POST /api/console/beginConfirmation: what a browser needs to confirm with a passkey who someone is. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { expectPerson, NOTHING } from './console-types.ts';
import { EXAMPLE_REQUEST, REQUEST_PROPERTIES, requestAnswer } from './passkey-types.ts';

export const beginConfirmation = defineEndpoint({
  path: '/api/console/beginConfirmation',
  summary: 'Begins to confirm with a passkey who the caller is.',
  description:
    'Only a person who is signed in can call this. The response goes to `navigator.credentials.get`, what that returns to ' +
    '`/api/console/confirmIdentity`.',
  isExtension: true,
  repetition: 'expires',
  request: NOTHING,
  response: REQUEST_PROPERTIES,
  example: { request: {}, response: EXAMPLE_REQUEST },
  async handler(context) {
    const { services, client, caller } = context;
    const { browserToken, ...request } = await services.passkeys.beginConfirmation(
      expectPerson(caller),
      client,
    );
    context.tieBrowser(browserToken);
    return requestAnswer(request);
  },
});
