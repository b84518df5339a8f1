/** POST /api/console/deletePerson: removes a person, or withdraws an invitation. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_PERSON } from './console-types.ts';

export const deletePerson = defineEndpoint({
  path: '/api/console/deletePerson',
  summary: 'Removes a person, or withdraws an invitation.',
  description:
    'For administrators. The person’s sessions end at once. The audit trail keeps what they did. The last admin who can ' +
    'sign in cannot be removed.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ personUuid: ruuid('The person, or an invitation that was not accepted.') }),
  response: {},
  example: { request: { personUuid: EXAMPLE_PERSON.uuid }, response: {} },
  async handler({ orgUuid, services }, { personUuid }) {
    if (await services.invitations.removeIfKnown(orgUuid, personUuid)) return {};
    await services.people.remove(orgUuid, personUuid);
    return {};
  },
});
