/** POST /api/integrations/accessControl/deleteAlarmVendorIntegration: deletes the alarm vendor's integration. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';

export const deleteAlarmVendorIntegration = defineEndpoint({
  path: '/api/integrations/accessControl/deleteAlarmVendorIntegration',
  summary: 'Deletes the alarm vendor’s integration.',
  description: 'Also succeeds if the organization has none.',
  repetition: 'same-outcome',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  async handler({ orgUuid, services }) {
    await services.accessControl.alarmVendor.remove(orgUuid);
    return {};
  },
});
