/** POST /api/console/changePassword: a person's own password. */

import { Type } from 'typebox';
import { MAX_PERSON_PASSWORD_CHARS } from '../../accounts/person-rules.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { text } from '../../http/fields/field-types.ts';
import { expectPerson, NEW_PASSWORD } from './console-types.ts';

export const changePassword = defineEndpoint({
  path: '/api/console/changePassword',
  summary: 'Changes the caller’s own password.',
  description:
    'Only a person who is signed in can call this. All of their other sessions end at once. A person without an email ' +
    'address needs one first (`/api/console/updatePerson`).',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    currentPassword: Type.Optional(
      text(
        'The current password. Not needed if there is none, or after signing in with a one-time code.',
        2 * MAX_PERSON_PASSWORD_CHARS,
      ),
    ),
    newPassword: NEW_PASSWORD,
  }),
  response: {},
  example: {
    request: { currentPassword: 'correct horse battery', newPassword: 'staple of a better kind' },
    response: {},
  },
  async handler({ caller, services }, { currentPassword, newPassword }) {
    await services.people.changePassword(expectPerson(caller), currentPassword ?? null, newPassword);
    return {};
  },
});
