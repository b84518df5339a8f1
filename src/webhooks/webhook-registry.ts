/** An organization's webhook addresses, each with its signing secret and its purposes. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
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

/** Reasons to call an address, in addition to rules. */
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

const MAX_WEBHOOKS_PER_ORG = LIMITS.webhooks.perOrganization;

export class WebhookRegistry {
  readonly #webhooks: ResourceRepository<WebhookBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(store: Pick<Store, 'resources'>, clock: Pick<Clock, 'epochMs'>) {
    this.#webhooks = store.resources.of(WEBHOOKS);
    this.#clock = clock;
  }

  /** In creation order; addresses created in the same millisecond are sorted by URL. */
  async list(orgUuid: Ruuid): Promise<Webhook[]> {
    return (await this.#webhooks.list(orgUuid)).sort(inOrder);
  }

  async has(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return (await this.#webhooks.find(orgUuid, uuid)) !== null;
  }

  /** Records that a rule calls an address. Resolves with its secret. Fails WEBHOOK_URL_INVALID, TOO_MANY_WEBHOOKS. */
  async useInRule(orgUuid: Ruuid, url: string): Promise<Secret> {
    const webhook = await this.#change(orgUuid, url, null, (body) => ({ ...body, isUsedByRules: true }));
    return secretOf(webhook);
  }

  /** Limits the calls of rules to these addresses. An address without a purpose is removed with its secret. */
  async releaseFromRules(orgUuid: Ruuid, stillUsed: Iterable<string>): Promise<void> {
    const kept = new Set([...stillUsed].map((url) => webhookUrl(url).href));
    for (const { uuid, body } of await this.#webhooks.list(orgUuid)) {
      if (!body.isUsedByRules || kept.has(body.url)) continue;
      await this.#end(orgUuid, uuid, { isUsedByRules: false });
    }
  }

  /**
   * Adds an address for a topic. Resolves with its secret. `secret`: the caller's own, null: the one it has, or a new
   * one. Fails WEBHOOK_URL_INVALID, TOO_MANY_WEBHOOKS.
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
    for (const { uuid, body } of await this.#webhooks.list(orgUuid)) {
      if (kept.has(body.url) || body[topic] === null) continue;
      await this.#end(orgUuid, uuid, { [topic]: null });
    }
  }

  /** Ends one purpose of an address. Without another one, the address is removed. */
  async #end(orgUuid: Ruuid, uuid: Ruuid, ended: Partial<WebhookBody>): Promise<void> {
    await this.#webhooks.change(orgUuid, uuid, (known) => {
      if (known === null) return 'unchanged';
      const body = { ...known.body, ...ended };
      const isCalled = body.activity !== null || body.diagnostic !== null || body.isUsedByRules;
      return isCalled ? { ...known, body, updatedAtMs: this.#clock.epochMs() } : 'removed';
    });
  }

  async #change(
    orgUuid: Ruuid,
    url: string,
    secret: Secret | null,
    change: (body: WebhookBody) => WebhookBody,
  ): Promise<Webhook> {
    const { href } = webhookUrl(url);
    const uuid = deriveRuuid('webhook', `${orgUuid}\0${href}`);
    const decide = (known: Webhook | null): Webhook | 'unchanged' => {
      const before = known?.body ?? { url: href, activity: null, diagnostic: null, isUsedByRules: false };
      const body = change(before);
      const isSame = known !== null && secret === null && JSON.stringify(body) === JSON.stringify(before);
      if (isSame) return 'unchanged';
      const nowMs = this.#clock.epochMs();
      return {
        uuid,
        orgUuid,
        name: '',
        parentUuid: null,
        body,
        secret: secret ?? known?.secret ?? newWebhookSecret(),
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    };
    const { after } = await this.#webhooks.change(orgUuid, uuid, decide, {
      atMost: MAX_WEBHOOKS_PER_ORG,
      within: 'organization',
      full: () => new GatewayError(WEBHOOK_ERRORS.TOO_MANY_WEBHOOKS),
    });
    return after!;
  }
}

/** Their UUIDs are hashes, so they give no order that a caller could predict. */
function inOrder(a: Webhook, b: Webhook): number {
  return a.createdAtMs - b.createdAtMs || (a.body.url < b.body.url ? -1 : 1);
}

/** Every webhook has one: it is created with it. */
export function secretOf({ secret }: Webhook): Secret {
  return secret ?? new Secret('');
}
