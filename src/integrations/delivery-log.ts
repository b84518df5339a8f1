/** The log of webhook calls, by the rule or the webhook that caused them. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ResourceMark } from '../store/resource.ts';
import type { ResourcePage } from '../store/resource-page.ts';
import type { WebhookDeliveries } from '../webhooks/webhook-deliveries.ts';
import type { DeliveryBody } from '../webhooks/webhook-delivery.ts';
import { INTEGRATION_ERRORS } from './errors.ts';

export interface DeliveryQuery {
  /** A lockdown rule or a webhook; undefined: any. */
  readonly causeUuid: Ruuid | undefined;
  readonly order: 'oldest-first' | 'newest-first';
  /** null: from the start. */
  readonly after: ResourceMark | null;
  readonly limit: number;
}

/** Things that can cause calls. */
interface Causes {
  has(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean>;
}

export interface DeliveryLogOptions {
  readonly deliveries: Pick<WebhookDeliveries, 'page'>;
  readonly lockdownRules: Causes;
  readonly webhooks: Causes;
}

export class DeliveryLog {
  readonly #options: DeliveryLogOptions;

  constructor(options: DeliveryLogOptions) {
    this.#options = options;
  }

  /** In creation order. A deleted cause still has its calls. Fails DELIVERY_CAUSE_NOT_FOUND. */
  async page(orgUuid: Ruuid, { causeUuid, ...query }: DeliveryQuery): Promise<ResourcePage<DeliveryBody>> {
    const { deliveries, lockdownRules, webhooks } = this.#options;
    if (causeUuid === undefined) return deliveries.page(orgUuid, query);
    const page = await deliveries.page(orgUuid, { parentUuid: causeUuid, ...query });
    const isKnown =
      page.items.length > 0 ||
      (await lockdownRules.has(orgUuid, causeUuid)) ||
      (await webhooks.has(orgUuid, causeUuid));
    if (!isKnown) throw new GatewayError(INTEGRATION_ERRORS.DELIVERY_CAUSE_NOT_FOUND, { cause: causeUuid });
    return page;
  }
}
