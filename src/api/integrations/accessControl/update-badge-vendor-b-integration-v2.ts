/**
 * POST /api/integrations/accessControl/updateBadgeVendorBIntegrationV2: the second badge vendor’s integration. Specific
 * to Sluice.
 */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { ORG_INTEGRATION_INPUT } from '../../organization/webhooks.ts';

export const updateBadgeVendorBIntegrationV2 = defineEndpoint({
  path: '/api/integrations/accessControl/updateBadgeVendorBIntegrationV2',
  summary: 'Creates or changes the second badge vendor’s integration.',
  description: 'Absent fields stay as they are.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(ORG_INTEGRATION_INPUT),
  response: {},
  example: { request: { enabled: true }, response: {} },
  async handler(context, given) {
    const { orgUuid, caller, services } = context;
    await services.accessControl.badgeVendorB.set(orgUuid, given, caller.actor.name);
    context.warn('The gateway stores these settings but does not call the vendor.');
    return {};
  },
});
