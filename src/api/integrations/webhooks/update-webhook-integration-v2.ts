/** POST /api/integrations/webhooks/updateWebhookIntegrationV2: whom to call. */

import { Type } from 'typebox';
import type { Ruuid } from '../../../core/ruuid.ts';
import { Secret } from '../../../core/secret.ts';
import { MAX_WEBHOOK_URL_LENGTH, webhookUrl } from '../../../webhooks/webhook-request.ts';
import { defineEndpoint } from '../../base/endpoint.ts';
import { flag, nullable, plainText, text } from '../../base/field-types.ts';
import { invalidField } from '../../base/request-body.ts';
import type { WebhookRegistry, WebhookTopic } from '../../webhook/webhook-registry.ts';
import { mergeIntegrationInput } from '../org-integration.ts';
import { WEBHOOK_SETTINGS_INPUT, type WebhookSettingsInput } from './webhook-integration-type.ts';

const MAX_WEBHOOKS_PER_TOPIC = 100;

type WebhookInfos = NonNullable<WebhookSettingsInput['activityWebhooksV2']>;

export const updateWebhookIntegrationV2 = defineEndpoint({
  path: '/api/integrations/webhooks/updateWebhookIntegrationV2',
  summary: 'Sets whom the organisation has called.',
  description:
    '`webhookUrl` adds one address, told of alerts or, with `isDiagnostic`, of the health of devices; ' +
    '`updatedWebhookSettings` replaces all addresses of each map it has. Absent maps and fields stay as they are.',
  request: Type.Object({
    webhookUrl: Type.Optional(text('The address to add or change.', MAX_WEBHOOK_URL_LENGTH)),
    isDiagnostic: Type.Optional(flag('Whether it is told of the health of devices. Default false.')),
    disabled: Type.Optional(flag('Whether it is left alone. Default false.')),
    updatedWebhookSettings: Type.Optional(WEBHOOK_SETTINGS_INPUT),
  }),
  response: { webhookSecret: nullable(plainText('What calls of `webhookUrl` are signed with.')) },
  example: {
    request: { webhookUrl: 'https://hook.example.com/' },
    response: { webhookSecret: 'SECRET' },
  },
  async handler({ orgUuid, caller, services }, body) {
    const { webhookIntegrations, webhooks } = services.accessControl;
    const { webhookUrl: url, isDiagnostic = false, disabled = false, updatedWebhookSettings = {} } = body;
    const namedOrgUuid = updatedWebhookSettings.orgUuid ?? orgUuid;
    if (namedOrgUuid !== orgUuid) {
      throw invalidField('updatedWebhookSettings.orgUuid must be the organisation that the key acts for.');
    }
    const byTopic = topicsOf(updatedWebhookSettings);
    if (url !== undefined) checkUrl('webhookUrl', url);
    await webhookIntegrations.update(orgUuid, async (known) => ({
      body: mergeIntegrationInput(updatedWebhookSettings, known),
      secret: null,
      changedBy: caller.key.name,
    }));
    for (const [topic, infos] of byTopic) await replace(webhooks, orgUuid, topic, infos);
    if (url === undefined) return { webhookSecret: null };
    const topic = isDiagnostic ? 'diagnostic' : 'activity';
    const secret = await webhooks.subscribe(orgUuid, url, topic, { disabled });
    return { webhookSecret: secret.reveal() };
  },
});

/** What is to be replaced, checked. Fails INVALID_FIELD. */
function topicsOf(settings: WebhookSettingsInput): Map<WebhookTopic, WebhookInfos> {
  const topics = new Map<WebhookTopic, WebhookInfos>();
  for (const topic of ['activity', 'diagnostic'] as const) {
    const infos = settings[`${topic}WebhooksV2`];
    const older = settings[`${topic}Webhooks`];
    const given = infos ?? (older === undefined ? undefined : fromOlderForm(older));
    if (given === undefined) continue;
    const field = `updatedWebhookSettings.${topic}Webhooks${infos === undefined ? '' : 'V2'}`;
    const urls = Object.keys(given);
    if (urls.length > MAX_WEBHOOKS_PER_TOPIC) {
      throw invalidField(`${field} must have at most ${MAX_WEBHOOKS_PER_TOPIC} entries.`);
    }
    for (const url of urls) checkUrl(field, url);
    topics.set(topic, given);
  }
  return topics;
}

function fromOlderForm(secrets: Readonly<Record<string, string>>): WebhookInfos {
  return Object.fromEntries(Object.entries(secrets).map(([url, webhookSecret]) => [url, { webhookSecret }]));
}

function checkUrl(field: string, url: string): void {
  try {
    webhookUrl(url);
  } catch {
    throw invalidField(
      `${field} must be an http or https URL without user name, password and fragment, at a port for the web.`,
    );
  }
}

async function replace(
  webhooks: WebhookRegistry,
  orgUuid: Ruuid,
  topic: WebhookTopic,
  infos: WebhookInfos,
): Promise<void> {
  const kept = new Set<string>();
  for (const [url, { webhookDisabled = false, webhookSecret = '' }] of Object.entries(infos)) {
    const secret = webhookSecret === '' ? null : new Secret(webhookSecret);
    await webhooks.subscribe(orgUuid, url, topic, { disabled: webhookDisabled }, secret);
    kept.add(webhookUrl(url).href);
  }
  await webhooks.unsubscribeOthers(orgUuid, topic, kept);
}
