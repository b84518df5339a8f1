/** POST /api/console/deletePasskey: a way to sign in ends. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { expectPerson } from './console-types.ts';
import { EXAMPLE_PASSKEY, PASSKEY_UUID } from './passkey-types.ts';

export const deletePasskey = defineEndpoint({
  path: '/api/console/deletePasskey',
  summary: 'Removes a passkey of the caller.',
  description:
    'Only a person who is signed in can call this, within ten minutes after signing in or `/api/console/confirmIdentity`. ' +
    'All of their other sessions end at once. The last passkey of a person without a password cannot be removed.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ passkeyUuid: PASSKEY_UUID }),
  response: {},
  example: { request: { passkeyUuid: EXAMPLE_PASSKEY.uuid }, response: {} },
  async handler({ caller, services }, { passkeyUuid }) {
    await services.passkeys.remove(expectPerson(caller), passkeyUuid);
    return {};
  },
});
