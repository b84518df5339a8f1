/** The webhooks of the organization, and the calls that were made to them. */

import { call } from './api.ts';

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

export interface DeliveryAttempt {
  readonly timestampMs: number;
  readonly durationMs: number;
  readonly httpStatus?: number;
  readonly errorCode?: string;
}

export interface Delivery {
  readonly uuid: string;
  readonly event: string;
  readonly url: string;
  readonly state: 'PENDING' | 'DELIVERED' | 'FAILED';
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAtMs?: number;
  readonly createdAtMillis: number;
}

type InfoMap = Readonly<
  Record<string, { readonly webhookDisabled: boolean; readonly webhookSecret: string }>
>;

interface Integration {
  readonly enabled: boolean;
  readonly activityWebhooksV2: InfoMap;
  readonly diagnosticWebhooksV2: InfoMap;
  readonly ruleWebhooks: InfoMap;
}

export const TOPIC_NAMES: Readonly<Record<WebhookTopic, string>> = {
  activity: 'Alerts',
  diagnostic: 'Device health',
  rule: 'Lockdown rules',
};

const DELIVERY_PAGE = 500;
/** The gateway keeps the newest 2,000. */
const MAX_DELIVERY_PAGES = 4;

/** Fails with a CallError. */
export async function readWebhooks(signal?: AbortSignal): Promise<WebhookSet> {
  const { orgIntegrationV2: integration } = await call<{ orgIntegrationV2?: Integration }>(
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

function webhooksIn(infos: InfoMap, topic: WebhookTopic): Webhook[] {
  return Object.entries(infos).map(([url, { webhookDisabled, webhookSecret }]) => ({
    ...{ url, topic, isDisabled: webhookDisabled, secret: webhookSecret },
  }));
}

/** Adds an address, or turns a known one on or off. Fails with a CallError. */
export async function putWebhook(
  url: string,
  topic: 'activity' | 'diagnostic',
  isDisabled: boolean,
): Promise<Webhook> {
  const { webhookSecret } = await call<{ webhookSecret?: string }>(
    'integrations/webhooks/updateWebhookIntegrationV2',
    { webhookUrl: url, isDiagnostic: topic === 'diagnostic', disabled: isDisabled },
  );
  return { url, topic, isDisabled, secret: webhookSecret ?? '' };
}

/** The API replaces all addresses of a topic: those that are there now, without this one. */
export async function removeWebhook({ url, topic }: Webhook): Promise<void> {
  const { webhooks } = await readWebhooks();
  const rest = webhooks.filter((known) => known.topic === topic && known.url !== url);
  const infos = Object.fromEntries(
    rest.map((known) => [known.url, { webhookDisabled: known.isDisabled, webhookSecret: known.secret }]),
  );
  await call('integrations/webhooks/updateWebhookIntegrationV2', {
    updatedWebhookSettings: { [topic === 'activity' ? 'activityWebhooksV2' : 'diagnosticWebhooksV2']: infos },
  });
}

/** All calls that the gateway remembers, newest first. */
export async function readDeliveries(signal?: AbortSignal): Promise<readonly Delivery[]> {
  const all: Delivery[] = [];
  let key: string | undefined;
  for (let page = 0; page < MAX_DELIVERY_PAGES; page++) {
    const { deliveries, lastEvaluatedKey } = await call<{
      deliveries: readonly Delivery[];
      lastEvaluatedKey?: string;
    }>(
      'webhook/getDeliveries',
      { maxPageSize: DELIVERY_PAGE, ...(key === undefined ? {} : { lastEvaluatedKey: key }) },
      signal,
    );
    all.push(...deliveries);
    key = lastEvaluatedKey;
    if (key === undefined) break;
  }
  return all.reverse();
}

/** How the last attempt ended, in words; empty: there was none. */
export function attemptText(attempt: DeliveryAttempt | undefined): string {
  if (attempt === undefined) return '';
  if (attempt.httpStatus !== undefined) return `Status ${attempt.httpStatus}`;
  return attempt.errorCode ?? 'No response';
}
