/** POST /api/integrations/accessControl/getBadgeVendorBIntegrationV2: the second badge vendor's integration. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { nullable } from '../../../http/fields/field-types.ts';
import { ORG_INTEGRATION_SCHEMA, orgIntegrationAnswer } from '../../organization/webhooks.ts';
import { EXAMPLE_ORG_UUID } from '../../types/examples.ts';

export const getBadgeVendorBIntegrationV2 = defineEndpoint({
  path: '/api/integrations/accessControl/getBadgeVendorBIntegrationV2',
  summary: 'Reads the second badge vendor’s integration.',
  description: 'Absent if there is none.',
  request: Type.Object({}),
  response: { orgIntegrationV2: nullable(ORG_INTEGRATION_SCHEMA) },
  example: {
    request: {},
    response: {
      orgIntegrationV2: {
        enabled: true,
        integration: 'BADGE_VENDOR_B',
        integrationAuditMap: {},
        orgUuid: EXAMPLE_ORG_UUID,
        userUuid: null,
      },
    },
  },
  async handler({ orgUuid, services }) {
    const integration = await services.accessControl.badgeVendorB.find(orgUuid);
    return {
      orgIntegrationV2: integration === null ? null : orgIntegrationAnswer('BADGE_VENDOR_B', integration),
    };
  },
});
