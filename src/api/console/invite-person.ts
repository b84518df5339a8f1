/** POST /api/console/invitePerson: a link with which someone joins. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  EXAMPLE_SESSION,
  INVITATION_SCHEMA,
  invitationAnswer,
  PERSON_EMAIL,
  PERSON_NAME,
  PERSON_ROLE,
} from './console-types.ts';

export const invitePerson = defineEndpoint({
  path: '/api/console/invitePerson',
  summary: 'Invites someone to the console.',
  description:
    'For administrators. Returns a link that works once, for 7 days: anyone who opens it chooses a password and is signed ' +
    'in. The link is shown only here and not stored; Sluice sends no email. A new invitation to the same address ends ' +
    'the earlier one; `/api/console/deletePerson` withdraws it.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ name: PERSON_NAME, email: PERSON_EMAIL, role: PERSON_ROLE }),
  response: {
    inviteUrl: plainText('The link. Its fragment has the token, which browsers send to no server.'),
    invitation: INVITATION_SCHEMA,
  },
  example: {
    request: { name: 'Ada', email: 'ada@example.com', role: 'operator' },
    response: {
      inviteUrl: 'https://api.example.com/console/#invite=sli_THE-TOKEN-SHOWN-THIS-ONCE',
      invitation: {
        ...{ invitationUuid: EXAMPLE_SESSION.uuid, name: 'Ada', email: 'ada@example.com' },
        ...{ role: 'operator', expiresAtMs: EXAMPLE_TIME_MS },
      },
    },
  },
  async handler({ orgUuid, services }, wanted) {
    const { invitation, token } = await services.invitations.create(orgUuid, wanted);
    const { publicApiUrl } = services.consoleAddresses;
    return {
      inviteUrl: `${publicApiUrl}/console/#invite=${token.reveal()}`,
      invitation: invitationAnswer(invitation),
    };
  },
});
