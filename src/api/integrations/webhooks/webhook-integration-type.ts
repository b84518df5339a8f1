/** The webhook integration of an organization: the addresses that it notifies of alerts and of device health. */

import { type Static, Type } from 'typebox';
import { flag, mapOf, namedType, plainText, ruuid, text } from '../../../http/fields/field-types.ts';
import { yieldingTo } from '../../../http/fields/no-effect.ts';
import { secretOf, type Webhook } from '../../../webhooks/webhook-registry.ts';
import { MASK, maskedUrls } from '../../types/masked-webhook.ts';
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

/** `isMasked`: without paths of addresses, and without secrets. */
export function webhookIntegrationAnswer(
  integration: AnsweredIntegration,
  webhooks: readonly Webhook[],
  isMasked = false,
): Static<typeof WEBHOOK_INTEGRATION_SCHEMA> {
  const ofActivity = shown(
    webhooks.filter(({ body }) => body.activity !== null),
    isMasked,
  );
  const ofDiagnostic = shown(
    webhooks.filter(({ body }) => body.diagnostic !== null),
    isMasked,
  );
  const ofRules = shown(
    webhooks.filter(({ body }) => body.isUsedByRules),
    isMasked,
  );
  return {
    ...orgIntegrationAnswer('WEBHOOKS', integration),
    activityWebhooks: secrets(ofActivity),
    activityWebhooksV2: infos(ofActivity, ({ body }) => body.activity?.disabled ?? false),
    diagnosticWebhooks: secrets(ofDiagnostic),
    diagnosticWebhooksV2: infos(ofDiagnostic, ({ body }) => body.diagnostic?.disabled ?? false),
    ruleWebhooks: infos(ofRules, () => false),
  };
}

interface ShownWebhook {
  readonly webhook: Webhook;
  readonly url: string;
  readonly secret: string;
}

function shown(webhooks: readonly Webhook[], isMasked: boolean): ShownWebhook[] {
  const urls = webhooks.map(({ body }) => body.url);
  const shownUrls = isMasked ? maskedUrls(urls) : urls;
  return webhooks.map((webhook, index) => ({
    webhook,
    url: shownUrls[index]!,
    secret: isMasked ? MASK : secretOf(webhook).reveal(),
  }));
}

function secrets(webhooks: readonly ShownWebhook[]): Record<string, string> {
  return Object.fromEntries(webhooks.map(({ url, secret }) => [url, secret]));
}

function infos(webhooks: readonly ShownWebhook[], isDisabled: (webhook: Webhook) => boolean) {
  return Object.fromEntries(
    webhooks.map(({ webhook, url, secret }) => [
      url,
      { webhookDisabled: isDisabled(webhook), webhookSecret: secret },
    ]),
  );
}
