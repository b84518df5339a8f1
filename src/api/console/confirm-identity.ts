/** POST /api/console/confirmIdentity: someone who is signed in shows again who they are. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { invalidField } from '../../http/request-body.ts';
import { expectPerson, GIVEN_PASSWORD } from './console-types.ts';
import { ASSERTION_SCHEMA, assertionOf } from './passkey-types.ts';

export const confirmIdentity = defineEndpoint({
  path: '/api/console/confirmIdentity',
  summary: 'Confirms who the caller is.',
  description:
    'Only a person who is signed in can call this, with their password or with what the browser returned for the challenge ' +
    'of `/api/console/beginConfirmation`. For ten minutes, the session can then add and remove passkeys. A session that ' +
    'has just begun needs no confirmation.',
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({
    currentPassword: Type.Optional(GIVEN_PASSWORD),
    passkey: Type.Optional(ASSERTION_SCHEMA),
  }),
  response: {},
  example: { request: { currentPassword: 'correct horse battery' }, response: {} },
  async handler({ caller, client, services }, { currentPassword, passkey }) {
    const who = expectPerson(caller);
    if (currentPassword !== undefined && passkey === undefined) {
      await services.confirmation.byPassword(who, currentPassword, client);
    } else if (passkey !== undefined && currentPassword === undefined) {
      await services.passkeys.confirm(who, assertionOf(passkey), client);
    } else {
      throw invalidField('Send either currentPassword or passkey.');
    }
    return {};
  },
});
