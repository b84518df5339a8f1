/** POST /api/integrations/webhooks/updateWebhookIntegrationV2: changes the organization's webhooks. */

import { Type } from 'typebox';
import { GatewayError } from '../../../core/errors.ts';
import { defineEndpoint } from '../../../http/endpoint.ts';
import { flag, nullable, plainText, text } from '../../../http/fields/field-types.ts';
import { countingWith } from '../../../http/fields/no-effect.ts';
import { invalidField } from '../../../http/request-body.ts';
import { TOPICS, type WebhookInfo, type WebhookSettings } from '../../../integrations/webhook-integration.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../../webhooks/webhook-request.ts';
import { maySeeWebhookPaths } from '../../types/caller-rights.ts';
import { isMasked } from '../../types/masked-webhook.ts';
import { WEBHOOK_SETTINGS_INPUT, type WebhookSettingsInput } from './webhook-integration-type.ts';

export const updateWebhookIntegrationV2 = defineEndpoint({
  path: '/api/integrations/webhooks/updateWebhookIntegrationV2',
  summary: 'Sets the organization’s webhooks.',
  description:
    '`webhookUrl` adds one address, which is notified of alerts or, with `isDiagnostic`, of device health. ' +
    '`updatedWebhookSettings` replaces all addresses of each map that it contains. Absent maps and fields stay as ' +
    'they are.',
  repetition: 'same-outcome',
  request: Type.Object({
    webhookUrl: Type.Optional(text('The address to add or change.', MAX_WEBHOOK_URL_LENGTH)),
    isDiagnostic: Type.Optional(
      countingWith(flag('Whether it is notified of device health. Default false.'), 'webhookUrl'),
    ),
    disabled: Type.Optional(countingWith(flag('Whether it is off. Default false.'), 'webhookUrl')),
    updatedWebhookSettings: Type.Optional(WEBHOOK_SETTINGS_INPUT),
  }),
  response: {
    webhookSecret: nullable(
      plainText(
        'The secret that signs calls to `webhookUrl`; absent for an application if the address was known.',
      ),
    ),
  },
  example: {
    request: { webhookUrl: 'https://hook.example.com/' },
    response: { webhookSecret: 'SECRET' },
  },
  async handler(context, body) {
    const { orgUuid, caller, services } = context;
    const { webhookUrl: url, isDiagnostic = false, disabled = false, updatedWebhookSettings = {} } = body;
    const namedOrgUuid = updatedWebhookSettings.orgUuid ?? orgUuid;
    if (namedOrgUuid !== orgUuid) {
      throw invalidField('updatedWebhookSettings.orgUuid must be the organization that the key acts for.');
    }
    const topic = isDiagnostic ? 'diagnostic' : 'activity';
    const settings: WebhookSettings = {
      ...updatedWebhookSettings,
      webhooks: topicsOf(updatedWebhookSettings),
      added: url === undefined ? undefined : { url, topic, disabled },
    };
    expectNoMasks(settings);
    const { webhookIntegration } = services.accessControl;
    const isKnown =
      url !== undefined &&
      !maySeeWebhookPaths(context) &&
      (await webhookIntegration.find(orgUuid))?.webhooks.some((webhook) => webhook.body.url === url);
    const secret = await naming(updatedWebhookSettings, () =>
      webhookIntegration.update(orgUuid, settings, caller.actor.name),
    );
    return { webhookSecret: isKnown === true ? null : (secret?.reveal() ?? null) };
  },
});

/** What an application was shown is not stored in place of what it stands for. */
function expectNoMasks({ webhooks, added }: WebhookSettings): void {
  const infos = TOPICS.flatMap((topic) => Object.entries(webhooks[topic] ?? {}));
  const texts = [added?.url, ...infos.flatMap(([url, { webhookSecret }]) => [url, webhookSecret])];
  if (texts.some((text) => text !== undefined && isMasked(text))) {
    throw invalidField(
      'updatedWebhookSettings must have whole addresses and secrets, and no `…` in place of them.',
    );
  }
}

/** Addresses by topic. The newer of the two forms of a topic takes precedence. */
function topicsOf(settings: WebhookSettingsInput): WebhookSettings['webhooks'] {
  const { activityWebhooksV2, diagnosticWebhooksV2, activityWebhooks, diagnosticWebhooks } = settings;
  const activity = activityWebhooksV2 ?? fromOlderForm(activityWebhooks);
  const diagnostic = diagnosticWebhooksV2 ?? fromOlderForm(diagnosticWebhooks);
  return {
    ...(activity === undefined ? {} : { activity }),
    ...(diagnostic === undefined ? {} : { diagnostic }),
  };
}

function fromOlderForm(
  secrets: Readonly<Record<string, string>> | undefined,
): Record<string, WebhookInfo> | undefined {
  if (secrets === undefined) return undefined;
  return Object.fromEntries(Object.entries(secrets).map(([url, webhookSecret]) => [url, { webhookSecret }]));
}

/** Makes a refusal say which of the two forms of a topic it is about. */
async function naming<T>(settings: WebhookSettingsInput, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || !(thrown.code in SENTENCES)) throw thrown;
    const { topic, limit } = thrown.context;
    const form = topic === 'activity' ? settings.activityWebhooksV2 : settings.diagnosticWebhooksV2;
    const field =
      typeof topic === 'string'
        ? `updatedWebhookSettings.${topic}Webhooks${form === undefined ? '' : 'V2'}`
        : 'webhookUrl';
    throw invalidField(`${field} ${SENTENCES[thrown.code as keyof typeof SENTENCES](limit)}`);
  }
}

const SENTENCES = {
  WEBHOOK_ADDRESS_INVALID: () =>
    'must be an http or https URL without user name, password and fragment, and with a web port.',
  TOO_MANY_WEBHOOKS_OF_TOPIC: (limit: unknown) => `must have at most ${String(limit)} entries.`,
} as const;
