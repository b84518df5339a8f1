/** POST /api/console/acceptInvite: someone who was invited joins. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { text } from '../../http/fields/field-types.ts';
import { EXAMPLE_PERSON, NEW_PASSWORD, PERSON_NAME, PERSON_SCHEMA, personAnswer } from './console-types.ts';
import { signedIn } from './sign-in.ts';

const MAX_TOKEN_LENGTH = 128;

export const acceptInvite = defineEndpoint({
  path: '/api/console/acceptInvite',
  summary: 'Accepts an invitation to the console.',
  description:
    'Adds the invited person and signs them in, as `/api/console/signIn` does. An invitation works once. Needs no ' +
    'credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  request: Type.Object({
    inviteToken: text('The token in the link’s fragment.', MAX_TOKEN_LENGTH),
    name: Type.Optional(PERSON_NAME),
    password: NEW_PASSWORD,
  }),
  response: { person: PERSON_SCHEMA },
  example: {
    request: {
      inviteToken: 'sli_THE-TOKEN-SHOWN-THIS-ONCE',
      name: 'Ada',
      password: 'correct horse battery',
    },
    response: { person: personAnswer(EXAMPLE_PERSON) },
  },
  async handler(context, { inviteToken, name, password }) {
    const { services, client } = context;
    const person = await services.invitations.accept(inviteToken, name ?? null, password);
    return signedIn(context, await services.signIn.byInvitation(person, client));
  },
});
