/** POST /api/console/renamePasskey. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { expectPerson } from './console-types.ts';
import {
  EXAMPLE_PASSKEY,
  PASSKEY_NAME,
  PASSKEY_SCHEMA,
  PASSKEY_UUID,
  passkeyAnswer,
} from './passkey-types.ts';

export const renamePasskey = defineEndpoint({
  path: '/api/console/renamePasskey',
  summary: 'Renames a passkey of the caller.',
  description: 'Only a person who is signed in can call this. The name is what lists of Sluice show.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ passkeyUuid: PASSKEY_UUID, name: PASSKEY_NAME }),
  response: { passkey: PASSKEY_SCHEMA },
  example: {
    request: { passkeyUuid: EXAMPLE_PASSKEY.uuid, name: 'Phone' },
    response: { passkey: passkeyAnswer(EXAMPLE_PASSKEY, true) },
  },
  async handler({ caller, services: { passkeys } }, { passkeyUuid, name }) {
    const renamed = await passkeys.rename(expectPerson(caller).person, passkeyUuid, name);
    return { passkey: passkeyAnswer(renamed, passkeys.works(renamed)) };
  },
});
