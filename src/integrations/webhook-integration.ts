/** The webhook integration of an organization: the addresses that it notifies of alerts and of device health. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { Store } from '../store/store.ts';
import type { Webhook, WebhookRegistry, WebhookTopic } from '../webhooks/webhook-registry.ts';
import { webhookUrl } from '../webhooks/webhook-request.ts';
import { INTEGRATION_ERRORS } from './errors.ts';
import {
  type IntegrationBody,
  mergeIntegrationInput,
  OrgIntegrations,
  WEBHOOK_INTEGRATIONS,
} from './org-integrations.ts';

export const TOPICS: readonly WebhookTopic[] = ['activity', 'diagnostic'];
const MAX_WEBHOOKS_PER_TOPIC = 100;

export interface WebhookInfo {
  readonly webhookDisabled?: boolean;
  /** The secret that signs its calls; generated if absent or empty. */
  readonly webhookSecret?: string;
}

/** Absent: not changed. */
export interface WebhookSettings {
  readonly enabled?: boolean;
  readonly userUuid?: Ruuid;
  /** By address; replaces all earlier ones of the topic. */
  readonly webhooks: Readonly<Partial<Record<WebhookTopic, Readonly<Record<string, WebhookInfo>>>>>;
  /** One more address. */
  readonly added?:
    | { readonly url: string; readonly topic: WebhookTopic; readonly disabled: boolean }
    | undefined;
}

export interface WebhookIntegrationOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly registry: WebhookRegistry;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** Addresses are stored one by one, as webhooks. */
export class WebhookIntegration {
  readonly #registry: WebhookRegistry;
  readonly #integrations: OrgIntegrations<IntegrationBody>;

  constructor({ store, registry, clock }: WebhookIntegrationOptions) {
    this.#registry = registry;
    this.#integrations = new OrgIntegrations(store, WEBHOOK_INTEGRATIONS, clock);
  }

  async isEnabled(orgUuid: Ruuid): Promise<boolean> {
    return (await this.#integrations.find(orgUuid))?.body.enabled === true;
  }

  /** The integration and every address that is called, including by rules. null: there is neither. */
  async find(
    orgUuid: Ruuid,
  ): Promise<{ readonly body: IntegrationBody; readonly webhooks: readonly Webhook[] } | null> {
    const webhooks = await this.#registry.list(orgUuid);
    const integration = await this.#integrations.find(orgUuid);
    if (integration === null && webhooks.length === 0) return null;
    return { body: integration?.body ?? { enabled: false, userUuid: null, audit: [] }, webhooks };
  }

  /**
   * Creates it, or changes the existing one. Resolves with the secret of the added address. Fails WEBHOOK_ADDRESS_INVALID
   * and TOO_MANY_WEBHOOKS_OF_TOPIC, with the topic in the context unless it is the added address, and TOO_MANY_WEBHOOKS.
   */
  async update(orgUuid: Ruuid, settings: WebhookSettings, changedBy: string): Promise<Secret | null> {
    const { added, webhooks } = settings;
    for (const topic of TOPICS) {
      const urls = Object.keys(webhooks[topic] ?? {});
      if (urls.length > MAX_WEBHOOKS_PER_TOPIC) {
        const context = { topic, limit: MAX_WEBHOOKS_PER_TOPIC };
        throw new GatewayError(INTEGRATION_ERRORS.TOO_MANY_WEBHOOKS_OF_TOPIC, context);
      }
      for (const url of urls) checkUrl(url, topic);
    }
    if (added !== undefined) checkUrl(added.url, null);
    await this.#integrations.update(orgUuid, async (known) => ({
      body: mergeIntegrationInput(settings, known),
      secret: null,
      changedBy,
    }));
    for (const topic of TOPICS) {
      const infos = webhooks[topic];
      if (infos !== undefined) await this.#replace(orgUuid, topic, infos);
    }
    if (added === undefined) return null;
    return this.#registry.subscribe(orgUuid, added.url, added.topic, { disabled: added.disabled });
  }

  /** Afterwards, only rules call webhooks. */
  async remove(orgUuid: Ruuid): Promise<void> {
    await this.#integrations.remove(orgUuid);
    for (const topic of TOPICS) await this.#registry.unsubscribeOthers(orgUuid, topic, new Set());
  }

  async #replace(
    orgUuid: Ruuid,
    topic: WebhookTopic,
    infos: Readonly<Record<string, WebhookInfo>>,
  ): Promise<void> {
    const kept = new Set<string>();
    for (const [url, { webhookDisabled: disabled = false, webhookSecret = '' }] of Object.entries(infos)) {
      const secret = webhookSecret === '' ? null : new Secret(webhookSecret);
      await this.#registry.subscribe(orgUuid, url, topic, { disabled }, secret);
      kept.add(webhookUrl(url).href);
    }
    await this.#registry.unsubscribeOthers(orgUuid, topic, kept);
  }
}

function checkUrl(url: string, topic: WebhookTopic | null): void {
  try {
    webhookUrl(url);
  } catch (cause) {
    throw new GatewayError(INTEGRATION_ERRORS.WEBHOOK_ADDRESS_INVALID, { topic }, cause);
  }
}
