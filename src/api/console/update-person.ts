/** POST /api/console/updatePerson: changes what a person is called, and what they can do. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_PERSON,
  PERSON_EMAIL,
  PERSON_NAME,
  PERSON_ROLE,
  PERSON_SCHEMA,
  PERSON_UUID,
  personAnswer,
} from './console-types.ts';

export const updatePerson = defineEndpoint({
  path: '/api/console/updatePerson',
  summary: 'Changes a person.',
  description:
    'For administrators. Fields that are absent stay as they are. A new role applies to the person’s next request; if ' +
    'the person is disabled, their sessions end at once. The last admin who can sign in cannot be disabled or become ' +
    'something else.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    personUuid: PERSON_UUID,
    name: Type.Optional(PERSON_NAME),
    email: Type.Optional(PERSON_EMAIL),
    role: Type.Optional(PERSON_ROLE),
    disabled: Type.Optional(flag('True: the person cannot sign in.')),
  }),
  response: { person: PERSON_SCHEMA },
  example: {
    request: { personUuid: EXAMPLE_PERSON.uuid, role: 'operator' },
    response: { person: personAnswer(EXAMPLE_PERSON) },
  },
  async handler({ orgUuid, services }, { personUuid, ...changes }) {
    return { person: personAnswer(await services.people.update(orgUuid, personUuid, changes)) };
  },
});
