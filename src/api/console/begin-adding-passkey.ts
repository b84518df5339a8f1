/** POST /api/console/beginAddingPasskey: what a browser needs to make a passkey. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { expectPerson, NOTHING } from './console-types.ts';
import { CREATION_PROPERTIES, creationAnswer, EXAMPLE_CREATION } from './passkey-types.ts';

export const beginAddingPasskey = defineEndpoint({
  path: '/api/console/beginAddingPasskey',
  summary: 'Begins to add a passkey.',
  description:
    'Only a person who is signed in can call this, within ten minutes after signing in or `/api/console/confirmIdentity`. ' +
    'The response goes to `navigator.credentials.create`, what that returns to `/api/console/addPasskey`.',
  isExtension: true,
  repetition: 'expires',
  request: NOTHING,
  response: CREATION_PROPERTIES,
  example: { request: {}, response: EXAMPLE_CREATION },
  async handler(context) {
    const { services, client, caller } = context;
    const { browserToken, ...creation } = await services.passkeys.beginAdding(expectPerson(caller), client);
    context.tieBrowser(browserToken);
    return creationAnswer(creation);
  },
});
