/** POST /api/event/getExpiringPolicyAlerts: alerts whose clips the gateway deletes soon. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import type { PolicyAlertBody } from '../../events/policy-alerts.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_POLICY_ALERT } from './policy-alert-example.ts';
import { POLICY_ALERT_SCHEMA, policyAlertAnswer } from './policy-alert-type.ts';

const MAX_ALERTS = 500;

export const getExpiringPolicyAlerts = defineEndpoint({
  path: '/api/event/getExpiringPolicyAlerts',
  summary: 'Lists policy alerts whose clips will be deleted soon.',
  description:
    `Newest first, among the ${MAX_ALERTS} newest alerts of that age: those with a clip that is deleted because of its age ` +
    '(`clips.keepOfAlerts`) within 30 days, and that no one saved. Clips that are deleted earlier, to make room, are not predicted.',
  request: Type.Object({}),
  response: { policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts.') },
  example: { request: {}, response: { policyAlerts: [EXAMPLE_POLICY_ALERT] } },
  async handler({ orgUuid, services }) {
    const toMs = services.clips.alertsExpiringBeforeMs();
    const old = await services.policyAlerts.page(orgUuid, {
      fromMs: 0,
      toMs,
      after: null,
      limit: MAX_ALERTS,
    });
    const expiring = old.filter(({ body }) => {
      const { clipLocation, saved } = body as PolicyAlertBody;
      return clipLocation !== undefined && saved !== true;
    });
    return { policyAlerts: LongList.of(expiring).map(policyAlertAnswer) };
  },
});
