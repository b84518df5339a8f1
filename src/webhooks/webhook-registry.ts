/** The addresses that an organisation has called, each with its signing secret and what it is called for. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { WEBHOOK_ERRORS } from './errors.ts';
import { webhookUrl } from './webhook-request.ts';
import { newWebhookSecret } from './webhook-signature.ts';

/** What an address is called for besides rules. */
export type WebhookTopic = 'activity' | 'diagnostic';

export interface WebhookSubscription {
  readonly disabled: boolean;
}

export interface WebhookBody {
  readonly url: string;
  /** null: it is not called for that. */
  readonly activity: WebhookSubscription | null;
  readonly diagnostic: WebhookSubscription | null;
  /** A rule calls it. */
  readonly isUsedByRules: boolean;
}

export const WEBHOOKS: ResourceKind<WebhookBody> = resourceKind('webhook');
export type Webhook = Resource<WebhookBody>;

const MAX_WEBHOOKS_PER_ORG = 500;

export class WebhookRegistry {
  readonly #webhooks: ResourceRepository<WebhookBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #locks = new KeyedLock();

  constructor(store: Pick<Store, 'resources'>, clock: Pick<Clock, 'epochMs'>) {
    this.#webhooks = store.resources.of(WEBHOOKS);
    this.#clock = clock;
  }

  list(orgUuid: Ruuid): Promise<Webhook[]> {
    return this.#webhooks.list(orgUuid);
  }

  async has(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return (await this.#webhooks.find(orgUuid, uuid)) !== null;
  }

  /** Notes that a rule calls an address; resolves with its secret. Fails WEBHOOK_URL_INVALID, TOO_MANY_WEBHOOKS. */
  async useInRule(orgUuid: Ruuid, url: string): Promise<Secret> {
    const webhook = await this.#change(orgUuid, url, null, (body) => ({ ...body, isUsedByRules: true }));
    return secretOf(webhook);
  }

  /** Rules call only these addresses any more; one that nobody calls is forgotten with its secret. */
  async releaseFromRules(orgUuid: Ruuid, stillUsed: Iterable<string>): Promise<void> {
    const kept = new Set([...stillUsed].map((url) => webhookUrl(url).href));
    await this.#locks.run(orgUuid, async () => {
      for (const webhook of await this.#webhooks.list(orgUuid)) {
        if (!webhook.body.isUsedByRules || kept.has(webhook.body.url)) continue;
        await this.#keepIfCalled(webhook, { ...webhook.body, isUsedByRules: false });
      }
    });
  }

  /**
   * Has an address called for a topic; resolves with its secret. `secret`: the caller's own, null: the one it has, or a
   * new one. Fails WEBHOOK_URL_INVALID, TOO_MANY_WEBHOOKS.
   */
  async subscribe(
    orgUuid: Ruuid,
    url: string,
    topic: WebhookTopic,
    subscription: WebhookSubscription,
    secret: Secret | null = null,
  ): Promise<Secret> {
    const webhook = await this.#change(orgUuid, url, secret, (body) => ({ ...body, [topic]: subscription }));
    return secretOf(webhook);
  }

  /** Ends the calls for a topic to every address that is not in `kept`. */
  async unsubscribeOthers(orgUuid: Ruuid, topic: WebhookTopic, kept: ReadonlySet<string>): Promise<void> {
    await this.#locks.run(orgUuid, async () => {
      for (const webhook of await this.#webhooks.list(orgUuid)) {
        if (kept.has(webhook.body.url) || webhook.body[topic] === null) continue;
        await this.#keepIfCalled(webhook, { ...webhook.body, [topic]: null });
      }
    });
  }

  async #keepIfCalled(webhook: Webhook, body: WebhookBody): Promise<void> {
    if (body.activity === null && body.diagnostic === null && !body.isUsedByRules) {
      await this.#webhooks.remove(webhook.orgUuid, webhook.uuid);
    } else {
      await this.#webhooks.save({ ...webhook, body, updatedAtMs: this.#clock.epochMs() });
    }
  }

  async #change(
    orgUuid: Ruuid,
    url: string,
    secret: Secret | null,
    change: (body: WebhookBody) => WebhookBody,
  ): Promise<Webhook> {
    const { href } = webhookUrl(url);
    const uuid = deriveRuuid('webhook', `${orgUuid}\0${href}`);
    return this.#locks.run(orgUuid, async () => {
      const known = await this.#webhooks.find(orgUuid, uuid);
      if (known === null && (await this.#webhooks.count(orgUuid)) >= MAX_WEBHOOKS_PER_ORG) {
        throw new GatewayError(WEBHOOK_ERRORS.TOO_MANY_WEBHOOKS);
      }
      const before = known?.body ?? { url: href, activity: null, diagnostic: null, isUsedByRules: false };
      const body = change(before);
      const isSame = known !== null && secret === null && JSON.stringify(body) === JSON.stringify(before);
      if (isSame) return known;
      const nowMs = this.#clock.epochMs();
      const webhook: Webhook = {
        ...{ uuid, orgUuid, name: '', parentUuid: null, body },
        secret: secret ?? known?.secret ?? newWebhookSecret(),
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
      await this.#webhooks.save(webhook);
      return webhook;
    });
  }
}

/** Every webhook has one: it is made with it. */
export function secretOf({ secret }: Webhook): Secret {
  return secret ?? new Secret('');
}
