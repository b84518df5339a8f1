/** POST /api/integrations/webhooks/deleteWebhookIntegrationV2: deletes the webhook integration. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';

export const deleteWebhookIntegrationV2 = defineEndpoint({
  path: '/api/integrations/webhooks/deleteWebhookIntegrationV2',
  summary: 'Deletes the webhook integration with its addresses.',
  description: 'Webhooks of lockdown rules stay. Also succeeds if the organization has none.',
  repetition: 'same-outcome',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  async handler({ orgUuid, services }) {
    await services.accessControl.webhookIntegration.remove(orgUuid);
    return {};
  },
});
