/** POST /api/console/acceptInvite: someone who was invited joins. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { invalidField } from '../../http/request-body.ts';
import {
  EXAMPLE_PERSON,
  INVITE_TOKEN,
  NEW_PASSWORD,
  PERSON_NAME,
  PERSON_SCHEMA,
  personAnswer,
} from './console-types.ts';
import { PASSKEY_NAME, REGISTRATION_SCHEMA, registrationOf } from './passkey-types.ts';
import { signedIn } from './sign-in.ts';

export const acceptInvite = defineEndpoint({
  path: '/api/console/acceptInvite',
  summary: 'Accepts an invitation to the console.',
  description:
    'Adds the invited person and signs them in, as `/api/console/signIn` does. An invitation works once. Send ' +
    'a password, or what the browser returned for the challenge of `/api/console/beginInvitePasskey`. Needs no ' +
    'credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({
    inviteToken: INVITE_TOKEN,
    name: Type.Optional(PERSON_NAME),
    password: Type.Optional(NEW_PASSWORD),
    passkey: Type.Optional(REGISTRATION_SCHEMA),
    passkeyName: Type.Optional(PASSKEY_NAME),
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
  async handler(context, { inviteToken, name = null, password, passkey, passkeyName = 'Passkey' }) {
    const { services, client } = context;
    if ((password === undefined) === (passkey === undefined)) {
      throw invalidField('Send either password or passkey.');
    }
    const person =
      password !== undefined
        ? await services.invitations.accept(inviteToken, name, password)
        : await services.passkeys.acceptInvitation(
            inviteToken,
            name,
            { name: passkeyName, registration: registrationOf(passkey!) },
            client,
          );
    return signedIn(context, await services.signIn.byInvitation(person, client));
  },
});
