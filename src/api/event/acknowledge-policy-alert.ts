/** POST /api/event/acknowledgePolicyAlert: someone sees to an alert. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, ruuid, text } from '../../http/fields/field-types.ts';
import { ACKNOWLEDGEMENT_SCHEMA, acknowledgementAnswer } from './acknowledgement-type.ts';
import { EXAMPLE_ACKNOWLEDGEMENT, EXAMPLE_ALERT_UUID } from './policy-alert-example.ts';

const MAX_NOTE_LENGTH = 1_024;

export const acknowledgePolicyAlert = defineEndpoint({
  path: '/api/event/acknowledgePolicyAlert',
  summary: 'Acknowledges a policy alert.',
  description:
    'Says that the caller sees to the alert. The first one holds: if someone else was first, nothing changes, and the ' +
    'response has theirs. Sent again by the same caller it changes nothing, or the note. Is in the audit feed as ' +
    '`ALERT_ACKNOWLEDGEMENT_CREATE`, with its note changed as `ALERT_ACKNOWLEDGEMENT_UPDATE`, and in the real-time stream as ' +
    '`ALERT_ACKNOWLEDGEMENT`. It ends with the alert.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    alertUuid: ruuid('The alert.'),
    note: Type.Optional(text('What was found or done. Default: none, or as it is.', MAX_NOTE_LENGTH)),
  }),
  response: {
    acknowledgement: ACKNOWLEDGEMENT_SCHEMA,
    isYours: flag('Whether it is the caller’s own; false: someone else was first.'),
  },
  example: {
    request: { alertUuid: EXAMPLE_ALERT_UUID, note: 'The usual van' },
    response: { acknowledgement: EXAMPLE_ACKNOWLEDGEMENT, isYours: true },
  },
  async handler({ orgUuid, caller, services }, { alertUuid, note = null }) {
    const { actor } = caller;
    const given = await services.policyAlerts.acknowledge(orgUuid, alertUuid, { actor, note });
    return { acknowledgement: acknowledgementAnswer(given), isYours: given.actorUuid === actor.uuid };
  },
});
