/** POST /api/event/dismissPolicyAlertV2: `acknowledgePolicyAlert` under the name that clients of the family call. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { EXAMPLE_ALERT_UUID } from './policy-alert-example.ts';

export const dismissPolicyAlertV2 = defineEndpoint({
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
    await services.policyAlerts.acknowledge(orgUuid, uuid, { actor: caller.actor, note: null });
    return {};
  },
});
