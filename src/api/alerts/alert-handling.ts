/** Who deals with policy alerts: taking, acknowledging, and undoing both. */

import { type Static, Type } from 'typebox';
import type { HandledAlerts } from '../../events/alert-handling.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { hasRole } from '../../http/endpoint-roles.ts';
import { flag, listOf, namedType, nullable, ruuid, text } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import {
  ACKNOWLEDGEMENT_SCHEMA,
  acknowledgementResponse,
  EXAMPLE_ACKNOWLEDGEMENT,
  EXAMPLE_ALERT_UUID,
  EXAMPLE_TAKING,
  TAKING_SCHEMA,
  takingResponse,
} from './policy-alert-types.ts';

const MAX_NOTE_LENGTH = 1_024;

const acknowledgePolicyAlert = defineEndpoint({
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
    const given = await services.alertHandling.acknowledge(orgUuid, alertUuid, { actor, note });
    return { acknowledgement: acknowledgementResponse(given), isYours: given.actorUuid === actor.uuid };
  },
});

const dismissPolicyAlertV2 = defineEndpoint({
  path: '/api/event/dismissPolicyAlertV2',
  summary: 'Dismisses a policy alert.',
  description:
    'Acknowledges the alert without a note, as `/api/event/acknowledgePolicyAlert` does: the first one holds, and the alert is no ' +
    'longer in `getPolicyAlertGroupsV2`. Dismissing it again changes nothing.',
  repetition: 'same-outcome',
  request: Type.Object({
    alertUuid: Type.Optional(ruuid('The alert. Required without `policyAlertUuid`.')),
    policyAlertUuid: Type.Optional(ruuid('Another name for `alertUuid`.')),
  }),
  response: {},
  example: { request: { alertUuid: EXAMPLE_ALERT_UUID }, response: {} },
  async handler({ orgUuid, caller, services }, { alertUuid, policyAlertUuid }) {
    const uuid = alertUuid ?? policyAlertUuid;
    if (uuid === undefined) throw invalidField('alertUuid is required.');
    if ((policyAlertUuid ?? uuid) !== uuid) {
      throw invalidField('policyAlertUuid must be the same as alertUuid, or be absent.');
    }
    await services.alertHandling.acknowledge(orgUuid, uuid, { actor: caller.actor, note: null });
    return {};
  },
});

/** Each is a change of its own, in the store and in the audit trail. */
const MAX_ALERTS_TOGETHER = 200;

const ALERT_UUIDS = listOf(
  ruuid('An alert.'),
  `The alerts, at most ${MAX_ALERTS_TOGETHER}. Those that do not exist are left out of the response.`,
  MAX_ALERTS_TOGETHER,
);

const OTHERS_ALERT_SCHEMA = namedType('PolicyAlertOfOthers', {
  alertUuid: ruuid('The alert.'),
  acknowledgement: ACKNOWLEDGEMENT_SCHEMA,
});

function othersResponse({ ofOthers }: HandledAlerts): Static<typeof OTHERS_ALERT_SCHEMA>[] {
  return ofOthers.map(({ alertUuid, acknowledgement }) => ({
    alertUuid,
    acknowledgement: acknowledgementResponse(acknowledgement),
  }));
}

const acknowledgePolicyAlerts = defineEndpoint({
  path: '/api/event/acknowledgePolicyAlerts',
  summary: 'Acknowledges several policy alerts.',
  description:
    'Each as `/api/event/acknowledgePolicyAlert` does: the first one holds. To undo the call, send `acknowledgedUuids` to ' +
    '`/api/event/reopenPolicyAlerts`.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    alertUuids: ALERT_UUIDS,
    note: Type.Optional(text('What was found or done. Default: none, or as it is.', MAX_NOTE_LENGTH)),
  }),
  response: {
    acknowledgedUuids: listOf(
      ruuid('An alert.'),
      'Alerts that this call acknowledged, or whose note it changed.',
    ),
    ofOthers: listOf(OTHERS_ALERT_SCHEMA, 'Alerts that someone else had acknowledged.'),
  },
  example: {
    request: { alertUuids: [EXAMPLE_ALERT_UUID] },
    response: { acknowledgedUuids: [EXAMPLE_ALERT_UUID], ofOthers: [] },
  },
  async handler({ orgUuid, caller, services }, { alertUuids, note = null }) {
    const handled = await services.alertHandling.acknowledgeAll(orgUuid, alertUuids, {
      actor: caller.actor,
      note,
    });
    return { acknowledgedUuids: [...handled.changed], ofOthers: othersResponse(handled) };
  },
});

const reopenPolicyAlerts = defineEndpoint({
  path: '/api/event/reopenPolicyAlerts',
  summary: 'Undoes that policy alerts were acknowledged.',
  description:
    'Callers undo their own acknowledgments, admins anyone’s. The alerts are open again, and their notes are lost. Is in the audit ' +
    'feed as `ALERT_ACKNOWLEDGEMENT_DELETE`, and in the real-time stream as `ALERT_ACKNOWLEDGEMENT` of type `DELETE`.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ alertUuids: ALERT_UUIDS }),
  response: {
    reopenedUuids: listOf(ruuid('An alert.'), 'Alerts that this call reopened.'),
    ofOthers: listOf(OTHERS_ALERT_SCHEMA, 'Alerts that someone else acknowledged, which stay as they are.'),
  },
  example: {
    request: { alertUuids: [EXAMPLE_ALERT_UUID] },
    response: { reopenedUuids: [EXAMPLE_ALERT_UUID], ofOthers: [] },
  },
  async handler({ orgUuid, caller, services }, { alertUuids }) {
    const handled = await services.alertHandling.reopen(orgUuid, alertUuids, {
      actor: caller.actor,
      isForAll: hasRole(caller, 'admin'),
    });
    return { reopenedUuids: [...handled.changed], ofOthers: othersResponse(handled) };
  },
});

const takePolicyAlert = defineEndpoint({
  path: '/api/event/takePolicyAlert',
  summary: 'Takes a policy alert, so that others know who looks after it.',
  description:
    'The first one holds: if someone else has taken the alert, nothing changes. Anyone can still acknowledge it. Is in the audit feed as ' +
    '`ALERT_TAKING_CREATE`, and in the real-time stream as `ALERT_TAKING`.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ alertUuid: ruuid('The alert.') }),
  response: {
    taking: TAKING_SCHEMA,
    isYours: flag('Whether the caller has it; false: someone else was first.'),
  },
  example: {
    request: { alertUuid: EXAMPLE_ALERT_UUID },
    response: { taking: EXAMPLE_TAKING, isYours: true },
  },
  async handler({ orgUuid, caller: { actor }, services }, { alertUuid }) {
    const taking = await services.alertHandling.take(orgUuid, alertUuid, actor);
    return { taking: takingResponse(taking), isYours: taking.actorUuid === actor.uuid };
  },
});

const releasePolicyAlert = defineEndpoint({
  path: '/api/event/releasePolicyAlert',
  summary: 'Releases a policy alert that someone has taken.',
  description:
    'Callers release what they took, admins anything. Is in the audit feed as `ALERT_TAKING_DELETE`, and in the real-time stream as ' +
    '`ALERT_TAKING` of type `DELETE`.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ alertUuid: ruuid('The alert.') }),
  response: { taking: nullable(TAKING_SCHEMA) },
  example: { request: { alertUuid: EXAMPLE_ALERT_UUID }, response: { taking: null } },
  async handler({ orgUuid, caller, services }, { alertUuid }) {
    const taking = await services.alertHandling.release(orgUuid, alertUuid, {
      actor: caller.actor,
      isForAll: hasRole(caller, 'admin'),
    });
    return { taking: taking === null ? null : takingResponse(taking) };
  },
});

export const ALERT_HANDLING_ENDPOINTS: readonly Endpoint[] = [
  acknowledgePolicyAlert,
  dismissPolicyAlertV2,
  acknowledgePolicyAlerts,
  reopenPolicyAlerts,
  takePolicyAlert,
  releasePolicyAlert,
];
