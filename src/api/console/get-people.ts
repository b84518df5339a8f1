/** POST /api/console/getPeople: who can sign in. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_PERSON,
  INVITATION_SCHEMA,
  invitationAnswer,
  NOTHING,
  PERSON_SCHEMA,
  personAnswer,
} from './console-types.ts';

export const getPeople = defineEndpoint({
  path: '/api/console/getPeople',
  summary: 'Lists the people of the organization, and invitations.',
  description: 'For administrators.',
  isExtension: true,
  request: NOTHING,
  response: {
    people: listOf(PERSON_SCHEMA, 'The people, in the order in which they were added.'),
    invitations: listOf(INVITATION_SCHEMA, 'Invitations that can still be accepted, the oldest first.'),
  },
  example: { request: {}, response: { people: [personAnswer(EXAMPLE_PERSON)], invitations: [] } },
  async handler({ orgUuid, services }) {
    const people = await services.people.list(orgUuid);
    const invitations = await services.invitations.list(orgUuid);
    return { people: people.map(personAnswer), invitations: invitations.map(invitationAnswer) };
  },
});
