/** POST /api/integrations/webhooks/getWebhookIntegration: the organization's webhooks. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { nullable } from '../../../http/fields/field-types.ts';
import { maySeeWebhookPaths } from '../../types/caller-rights.ts';
import { EXAMPLE_ORG_UUID } from '../../types/examples.ts';
import { WEBHOOK_INTEGRATION_SCHEMA, webhookIntegrationAnswer } from './webhook-integration-type.ts';

export const getWebhookIntegration = defineEndpoint({
  path: '/api/integrations/webhooks/getWebhookIntegration',
  summary: 'Reads the webhook integration.',
  description:
    'Absent if there is neither an integration nor a lockdown rule that calls a webhook. The secrets are those that ' +
    'sign the calls. Applications see `…` in place of them and of the paths of addresses.',
  request: Type.Object({}),
  response: { orgIntegrationV2: nullable(WEBHOOK_INTEGRATION_SCHEMA) },
  example: {
    request: {},
    response: {
      orgIntegrationV2: {
        enabled: true,
        integration: 'WEBHOOKS',
        integrationAuditMap: {},
        orgUuid: EXAMPLE_ORG_UUID,
        userUuid: null,
        activityWebhooks: { 'https://hook.example.com/': 'SECRET' },
        activityWebhooksV2: {
          'https://hook.example.com/': { webhookDisabled: false, webhookSecret: 'SECRET' },
        },
        diagnosticWebhooks: {},
        diagnosticWebhooksV2: {},
        ruleWebhooks: {},
      },
    },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const known = await services.accessControl.webhookIntegration.find(orgUuid);
    if (known === null) return { orgIntegrationV2: null };
    const isMasked = !maySeeWebhookPaths(context);
    const { body, webhooks } = known;
    return { orgIntegrationV2: webhookIntegrationAnswer({ orgUuid, body }, webhooks, isMasked) };
  },
});
