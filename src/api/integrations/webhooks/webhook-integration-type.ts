/** The webhook integration of an organization: the addresses that it notifies of alerts and of device health. */

import { type Static, Type } from 'typebox';
import { flag, mapOf, namedType, plainText, ruuid, text } from '../../../http/fields/field-types.ts';
import { yieldingTo } from '../../../http/fields/no-effect.ts';
import { secretOf, type Webhook } from '../../../webhooks/webhook-registry.ts';
import {
  type AnsweredIntegration,
  ORG_INTEGRATION_INPUT,
  ORG_INTEGRATION_PROPERTIES,
  orgIntegrationAnswer,
} from '../org-integration.ts';

const MAX_SECRET_LENGTH = 256;

const WEBHOOK_INFO_INPUT = namedType('WebhookInfo', {
  webhookDisabled: Type.Optional(flag('Whether it is off. Default false.')),
  webhookSecret: Type.Optional(
    text('The secret that signs its calls; generated if absent.', MAX_SECRET_LENGTH),
  ),
});

export const WEBHOOK_SETTINGS_INPUT = namedType('WebhookSettings', {
  orgUuid: Type.Optional(ruuid('The organization; if given, it must be the key’s own.')),
  ...ORG_INTEGRATION_INPUT,
  activityWebhooks: Type.Optional(
    yieldingTo(
      mapOf(text('Its secret.', MAX_SECRET_LENGTH), 'Older form of `activityWebhooksV2`.'),
      'activityWebhooksV2',
    ),
  ),
  activityWebhooksV2: Type.Optional(
    mapOf(WEBHOOK_INFO_INPUT, 'Addresses to notify of alerts; replaces all earlier ones.'),
  ),
  diagnosticWebhooks: Type.Optional(
    yieldingTo(
      mapOf(text('Its secret.', MAX_SECRET_LENGTH), 'Older form of `diagnosticWebhooksV2`.'),
      'diagnosticWebhooksV2',
    ),
  ),
  diagnosticWebhooksV2: Type.Optional(
    mapOf(WEBHOOK_INFO_INPUT, 'Addresses to notify of device health; replaces all earlier ones.'),
  ),
});

export type WebhookSettingsInput = Static<typeof WEBHOOK_SETTINGS_INPUT>;

const WEBHOOK_INFO_SCHEMA = namedType('KeptWebhookInfo', {
  webhookDisabled: flag('Whether it is off.'),
  webhookSecret: plainText('The secret that signs its calls.'),
});

const infoMap = (what: string) => mapOf(WEBHOOK_INFO_SCHEMA, `${what}, by address.`);
const secretMap = (what: string) => mapOf(plainText('Its secret.'), `${what}, by address.`);

export const WEBHOOK_INTEGRATION_SCHEMA = namedType('WebhookIntegration', {
  ...ORG_INTEGRATION_PROPERTIES,
  activityWebhooks: secretMap('Secrets of those notified of alerts'),
  activityWebhooksV2: infoMap('Those notified of alerts'),
  diagnosticWebhooks: secretMap('Secrets of those notified of device health'),
  diagnosticWebhooksV2: infoMap('Those notified of device health'),
  ruleWebhooks: infoMap('Those that lockdown rules call'),
});

export function webhookIntegrationAnswer(
  integration: AnsweredIntegration,
  webhooks: readonly Webhook[],
): Static<typeof WEBHOOK_INTEGRATION_SCHEMA> {
  const ofActivity = webhooks.filter(({ body }) => body.activity !== null);
  const ofDiagnostic = webhooks.filter(({ body }) => body.diagnostic !== null);
  return {
    ...orgIntegrationAnswer('WEBHOOKS', integration),
    activityWebhooks: secrets(ofActivity),
    activityWebhooksV2: infos(ofActivity, ({ body }) => body.activity?.disabled ?? false),
    diagnosticWebhooks: secrets(ofDiagnostic),
    diagnosticWebhooksV2: infos(ofDiagnostic, ({ body }) => body.diagnostic?.disabled ?? false),
    ruleWebhooks: infos(
      webhooks.filter(({ body }) => body.isUsedByRules),
      () => false,
    ),
  };
}

function secrets(webhooks: readonly Webhook[]): Record<string, string> {
  return Object.fromEntries(webhooks.map((webhook) => [webhook.body.url, secretOf(webhook).reveal()]));
}

function infos(webhooks: readonly Webhook[], isDisabled: (webhook: Webhook) => boolean) {
  return Object.fromEntries(
    webhooks.map((webhook) => [
      webhook.body.url,
      { webhookDisabled: isDisabled(webhook), webhookSecret: secretOf(webhook).reveal() },
    ]),
  );
}
