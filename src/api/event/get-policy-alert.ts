/** POST /api/event/getPolicyAlert: one alert with everything that is known about it. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ALERT_UUID, EXAMPLE_POLICY_ALERT } from './policy-alert-example.ts';
import { POLICY_ALERT_SCHEMA, policyAlertAnswer } from './policy-alert-type.ts';

export const getPolicyAlert = defineEndpoint({
  path: '/api/event/getPolicyAlert',
  summary: 'Reads one policy alert.',
  description: 'Alerts are reported through `/api/ingest/policyAlerts`. What was not reported is absent.',
  request: Type.Object({ policyAlertUuid: ruuid('The alert.') }),
  response: { policyAlert: POLICY_ALERT_SCHEMA },
  example: {
    request: { policyAlertUuid: EXAMPLE_ALERT_UUID },
    response: { policyAlert: EXAMPLE_POLICY_ALERT },
  },
  async handler({ orgUuid, services }, { policyAlertUuid }) {
    return {
      policyAlert: policyAlertAnswer(await services.policyAlerts.find(orgUuid, policyAlertUuid)),
    };
  },
});
