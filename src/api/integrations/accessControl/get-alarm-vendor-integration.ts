/** POST /api/integrations/accessControl/getAlarmVendorIntegration: the alarm vendor's integration. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { nullable } from '../../../http/fields/field-types.ts';
import { ORG_INTEGRATION_SCHEMA, orgIntegrationAnswer } from '../../organization/webhooks.ts';

export const getAlarmVendorIntegration = defineEndpoint({
  path: '/api/integrations/accessControl/getAlarmVendorIntegration',
  summary: 'Reads the alarm vendor’s integration.',
  description: 'Absent if there is none.',
  isExtension: true,
  request: Type.Object({}),
  response: { orgIntegrationV2: nullable(ORG_INTEGRATION_SCHEMA) },
  example: { request: {}, response: { orgIntegrationV2: null } },
  async handler({ orgUuid, services }) {
    const integration = await services.accessControl.alarmVendor.find(orgUuid);
    return {
      orgIntegrationV2: integration === null ? null : orgIntegrationAnswer('ALARM_VENDOR', integration),
    };
  },
});
