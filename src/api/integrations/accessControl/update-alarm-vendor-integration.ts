/**
 * POST /api/integrations/accessControl/updateAlarmVendorIntegration: the alarm vendor’s integration. Specific to Sluice.
 */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { ORG_INTEGRATION_INPUT } from '../../organization/webhooks.ts';

export const updateAlarmVendorIntegration = defineEndpoint({
  path: '/api/integrations/accessControl/updateAlarmVendorIntegration',
  summary: 'Creates or changes the alarm vendor’s integration.',
  description: 'Absent fields stay as they are.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(ORG_INTEGRATION_INPUT),
  response: {},
  example: { request: { enabled: true }, response: {} },
  async handler(context, given) {
    const { orgUuid, caller, services } = context;
    await services.accessControl.alarmVendor.set(orgUuid, given, caller.actor.name);
    context.warn('The gateway stores these settings but does not call the vendor.');
    return {};
  },
});
