/** POST /api/event/getPolicyAlertsV2: the organization's alerts, newest first. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, nullable } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EXAMPLE_POLICY_ALERT } from './policy-alert-example.ts';
import { ALERT_LIST_PROPERTIES, listAlerts } from './policy-alert-list.ts';
import { POLICY_ALERT_SCHEMA, policyAlertAnswer } from './policy-alert-type.ts';

export const getPolicyAlertsV2 = defineEndpoint({
  path: '/api/event/getPolicyAlertsV2',
  summary: 'Lists the policy alerts of the organization.',
  description:
    'Newest first. To get the next page, send back the `timestampMs` and `uuid` of `oldestPolicyAlert` as ' +
    '`lastTimestampMs` and `lastUuid`. A page shorter than `maxResults` is the last one. Alerts that arrive in the ' +
    'meantime are neither repeated nor hide others.',
  isDeprecated: true,
  request: Type.Object(ALERT_LIST_PROPERTIES),
  response: {
    policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts.'),
    oldestPolicyAlert: nullable(POLICY_ALERT_SCHEMA),
  },
  example: {
    request: { afterTimestampMs: EXAMPLE_TIME_MS, deviceFilter: [EXAMPLE_CAMERA_UUID], maxResults: 100 },
    response: { policyAlerts: [EXAMPLE_POLICY_ALERT], oldestPolicyAlert: EXAMPLE_POLICY_ALERT },
  },
  async handler(context, body) {
    const events = await listAlerts(context, body);
    const oldest = events.at(-1);
    return {
      policyAlerts: LongList.of(events).map(policyAlertAnswer),
      oldestPolicyAlert: oldest === undefined ? null : policyAlertAnswer(oldest),
    };
  },
});
