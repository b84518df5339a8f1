/** POST /api/console/addPasskey: a further way to sign in. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { expectPerson } from './console-types.ts';
import {
  EXAMPLE_PASSKEY,
  EXAMPLE_REGISTRATION,
  PASSKEY_NAME,
  PASSKEY_SCHEMA,
  passkeyAnswer,
  REGISTRATION_SCHEMA,
  registrationOf,
} from './passkey-types.ts';

export const addPasskey = defineEndpoint({
  path: '/api/console/addPasskey',
  summary: 'Adds a passkey of the caller.',
  description:
    'Takes what the browser returned for the challenge of `/api/console/beginAddingPasskey`. The authenticator must have ' +
    'verified its user. A person can have 10 passkeys.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ name: PASSKEY_NAME, passkey: REGISTRATION_SCHEMA }),
  response: { passkey: PASSKEY_SCHEMA },
  example: {
    request: { name: 'Phone', passkey: EXAMPLE_REGISTRATION },
    response: { passkey: passkeyAnswer(EXAMPLE_PASSKEY, true) },
  },
  async handler({ caller, client, services }, { name, passkey }) {
    const added = await services.passkeys.add(expectPerson(caller), name, registrationOf(passkey), client);
    return { passkey: passkeyAnswer(added, true) };
  },
});
