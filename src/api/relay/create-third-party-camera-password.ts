/** POST /api/relay/createThirdPartyCameraPassword: saves a login for cameras. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CREDENTIAL } from './third-party-camera-password-type.ts';

const MAX_NOTES_LENGTH = 4_096;

export const createThirdPartyCameraPassword = defineEndpoint({
  path: '/api/relay/createThirdPartyCameraPassword',
  summary: 'Saves a login for cameras.',
  description:
    'The password is stored encrypted and never returned. Discovery and authentication try saved logins if ' +
    '`trySavedCredentials` is true. At most 100 per organization.',
  repetition: 'once',
  request: Type.Object({
    username: text('User name.'),
    password: text('Password.'),
    notes: Type.Optional(text('What it is for.', MAX_NOTES_LENGTH)),
  }),
  response: { passwordUuid: ruuid('The saved login.') },
  example: {
    request: { ...EXAMPLE_CREDENTIAL.body, password: 'correct horse' },
    response: { passwordUuid: EXAMPLE_CREDENTIAL.uuid },
  },
  async handler({ orgUuid, services }, { username, password, notes = '' }) {
    return { passwordUuid: await services.rtspCredentials.create(orgUuid, { username, notes }, password) };
  },
});
