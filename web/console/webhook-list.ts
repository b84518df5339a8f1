/** The webhooks of the organization, and the calls that were made to them. */

import { type Answer, call } from './api.ts';
import { deliveryFault } from './delivery-words.ts';
import { readEveryPage } from './every-page.ts';
import { t } from './words.ts';

export type WebhookTopic = 'activity' | 'diagnostic' | 'rule';

export interface Webhook {
  readonly url: string;
  readonly topic: WebhookTopic;
  readonly isDisabled: boolean;
  /** Signs its calls. */
  readonly secret: string;
}

export interface WebhookSet {
  readonly webhooks: readonly Webhook[];
  /** Whether the integration as a whole is on; null: there is none. */
  readonly isEnabled: boolean | null;
}

export type Delivery = Answer<'webhook/getDeliveries'>['deliveries'][number];
export type DeliveryAttempt = Delivery['attempts'][number];

type Integration = NonNullable<Answer<'integrations/webhooks/getWebhookIntegration'>['orgIntegrationV2']>;

export const TOPIC_NAMES: Readonly<Record<WebhookTopic, string>> = {
  activity: t('Alerts'),
  diagnostic: t('Device health'),
  rule: t('Lockdown rules'),
};

const DELIVERY_PAGE = 500;
/** The gateway keeps the newest 2,000. */
const MAX_DELIVERY_PAGES = 4;

/** Fails with a CallError. */
export async function readWebhooks(signal?: AbortSignal): Promise<WebhookSet> {
  const { orgIntegrationV2: integration } = await call(
    'integrations/webhooks/getWebhookIntegration',
    {},
    signal,
  );
  if (integration === undefined) return { webhooks: [], isEnabled: null };
  return {
    webhooks: [
      ...webhooksIn(integration.activityWebhooksV2, 'activity'),
      ...webhooksIn(integration.diagnosticWebhooksV2, 'diagnostic'),
      ...webhooksIn(integration.ruleWebhooks, 'rule'),
    ],
    isEnabled: integration.enabled,
  };
}

function webhooksIn(infos: Integration['activityWebhooksV2'], topic: WebhookTopic): Webhook[] {
  return Object.entries(infos).map(([url, { webhookDisabled, webhookSecret }]) => ({
    url,
    topic,
    isDisabled: webhookDisabled,
    secret: webhookSecret,
  }));
}

/** Adds an address, or turns a known one on or off. Fails with a CallError. */
export async function putWebhook(
  url: string,
  topic: 'activity' | 'diagnostic',
  isDisabled: boolean,
): Promise<Webhook> {
  const { webhookSecret } = await call('integrations/webhooks/updateWebhookIntegrationV2', {
    webhookUrl: url,
    isDiagnostic: topic === 'diagnostic',
    disabled: isDisabled,
  });
  return { url, topic, isDisabled, secret: webhookSecret ?? '' };
}

/** Calls it once. A call that fails is a result. Fails with a CallError. */
export async function testWebhook(webhookUrl: string): Promise<Answer<'webhook/sendTestDelivery'>> {
  return call('webhook/sendTestDelivery', { webhookUrl });
}

/** The API replaces all addresses of a topic: those that are there now, without this one. */
export async function removeWebhook({ url, topic }: Webhook): Promise<void> {
  const { webhooks } = await readWebhooks();
  const rest = webhooks.filter((known) => known.topic === topic && known.url !== url);
  const infos = Object.fromEntries(
    rest.map((known) => [known.url, { webhookDisabled: known.isDisabled, webhookSecret: known.secret }]),
  );
  await call('integrations/webhooks/updateWebhookIntegrationV2', {
    updatedWebhookSettings:
      topic === 'activity' ? { activityWebhooksV2: infos } : { diagnosticWebhooksV2: infos },
  });
}

/** All calls that the gateway remembers, newest first. */
export async function readDeliveries(signal?: AbortSignal): Promise<readonly Delivery[]> {
  const all = await readEveryPage(DELIVERY_PAGE, MAX_DELIVERY_PAGES, async (page) => {
    const { deliveries, lastEvaluatedKey } = await call('webhook/getDeliveries', page, signal);
    return { items: deliveries, lastEvaluatedKey };
  });
  return all.toReversed();
}

/** How the last attempt ended, in words; empty: there was none. */
export function attemptText(attempt: DeliveryAttempt | undefined): string {
  if (attempt === undefined) return '';
  if (attempt.httpStatus !== undefined) return t('Status {code}', { code: attempt.httpStatus });
  return attempt.errorCode === undefined ? t('No response') : deliveryFault(attempt.errorCode);
}
