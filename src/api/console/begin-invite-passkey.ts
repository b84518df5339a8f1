/** POST /api/console/beginInvitePasskey: what a browser needs to make the passkey of someone who is invited. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { INVITE_TOKEN, PERSON_NAME } from './console-types.ts';
import { CREATION_PROPERTIES, creationAnswer, EXAMPLE_CREATION } from './passkey-types.ts';

export const beginInvitePasskey = defineEndpoint({
  path: '/api/console/beginInvitePasskey',
  summary: 'Begins to accept an invitation with a passkey.',
  description:
    'The response goes to `navigator.credentials.create`, what that returns to `/api/console/acceptInvite`. The invitation ' +
    'is not used up. Needs no credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({ inviteToken: INVITE_TOKEN, name: Type.Optional(PERSON_NAME) }),
  response: CREATION_PROPERTIES,
  example: {
    request: { inviteToken: 'sli_THE-TOKEN-SHOWN-THIS-ONCE', name: 'Ada' },
    response: { ...EXAMPLE_CREATION, publicKey: { ...EXAMPLE_CREATION.publicKey, excludeCredentials: [] } },
  },
  async handler(context, { inviteToken, name }) {
    const { services, client } = context;
    const { browserToken, ...creation } = await services.passkeys.beginInvitation(
      inviteToken,
      name ?? null,
      client,
    );
    context.tieBrowser(browserToken);
    return creationAnswer(creation);
  },
});
