/** POST /api/console/signInWithPasskey: begins a session. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_PERSON, PERSON_SCHEMA, personAnswer } from './console-types.ts';
import { ASSERTION_SCHEMA, assertionOf, EXAMPLE_ASSERTION } from './passkey-types.ts';
import { signedIn } from './sign-in.ts';

export const signInWithPasskey = defineEndpoint({
  path: '/api/console/signInWithPasskey',
  summary: 'Signs a person in to the console with a passkey.',
  description:
    'Takes what the browser returned for the challenge of `/api/console/beginPasskeySignIn`. The authenticator must have ' +
    'verified its user. Every refusal is the same; too many of them from an address are refused for a while with 429. The ' +
    'session is that of `/api/console/signIn`. Needs no credentials. Only pages of the API itself can call this.',
  isOpen: true,
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({ passkey: ASSERTION_SCHEMA }),
  response: { person: PERSON_SCHEMA },
  example: { request: { passkey: EXAMPLE_ASSERTION }, response: { person: personAnswer(EXAMPLE_PERSON) } },
  async handler(context, { passkey }) {
    const { services, client } = context;
    return signedIn(context, await services.passkeys.signIn(assertionOf(passkey), client));
  },
});
