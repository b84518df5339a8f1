/** POST /api/console/endSession: signs someone out. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SESSION, expectPerson } from './console-types.ts';

export const endSession = defineEndpoint({
  path: '/api/console/endSession',
  summary: 'Ends a console session.',
  description:
    'The session ends at once: its next request is refused, and what is being watched with it stops. People can end ' +
    'their own sessions, admins everyone’s.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ sessionUuid: ruuid('The session.') }),
  response: {},
  example: { request: { sessionUuid: EXAMPLE_SESSION.uuid }, response: {} },
  async handler({ orgUuid, caller, services }, { sessionUuid }) {
    const owner = caller.role === 'admin' ? null : expectPerson(caller).person.uuid;
    await services.consoleSessions.end(orgUuid, sessionUuid, owner);
    return {};
  },
});
