/** POST /api/console/getSessions: where people are signed in. */

import { Type } from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { expectRole } from '../../http/endpoint-roles.ts';
import { flag, listOf, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CALLER,
  EXAMPLE_SESSION,
  expectPerson,
  SESSION_SCHEMA,
  sessionAnswer,
} from './console-types.ts';

export const getSessions = defineEndpoint({
  path: '/api/console/getSessions',
  summary: 'Lists where people are signed in.',
  description:
    'Lists the caller’s own sessions; admins can also ask for those of someone else, or of everyone.',
  isExtension: true,
  request: Type.Object({
    personUuid: Type.Optional(ruuid('Whose sessions; default: the caller’s. Someone else’s: for admins.')),
    everyone: Type.Optional(flag('True: of all people of the organization. For admins.')),
  }),
  response: {
    sessions: listOf(SESSION_SCHEMA, 'Sessions that still work, in the order in which they began.'),
  },
  example: {
    request: {},
    response: { sessions: [sessionAnswer(EXAMPLE_SESSION, EXAMPLE_CALLER)] },
  },
  async handler({ orgUuid, caller, services }, { personUuid, everyone = false }) {
    const whose = everyone ? null : (personUuid ?? ownUuid(caller));
    if (whose === null || caller.principal.kind !== 'person' || whose !== caller.actor.uuid) {
      expectRole(caller, 'admin');
    }
    const sessions = await services.consoleSessions.list(orgUuid, whose);
    return { sessions: sessions.map((session) => sessionAnswer(session, caller)) };
  },
});

/** An admin's key has no sessions of its own: null for everyone's. */
function ownUuid(caller: Caller): Ruuid | null {
  if (caller.principal.kind !== 'person' && caller.role === 'admin') return null;
  return expectPerson(caller).person.uuid;
}
