/**
 * Calls webhooks: each delivery is logged, and retried with growing pauses until the host accepts it or the attempts are used up
 * (deliveries/delivery-queue.ts).
 */

import type { Clock } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { QueueOutcome } from '../deliveries/delivery.ts';
import { DeliveryQueue } from '../deliveries/delivery-queue.ts';
import type { ResourcePageQuery } from '../store/resource.ts';
import type { ResourcePage } from '../store/resource-page.ts';
import type { Store } from '../store/store.ts';
import { type AttemptOutcome, attemptDelivery } from './delivery-attempt.ts';
import { WEBHOOK_ERRORS } from './errors.ts';
import { OAuthClientTokens } from './oauth-client-tokens.ts';
import { outboundCaller, type PostOutbound, type ResolveHost } from './outbound-call.ts';
import {
  DELIVERIES,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryBody,
  type DeliveryRequest,
  type NewDelivery,
} from './webhook-delivery.ts';
import { webhookUrl } from './webhook-request.ts';

export const MAX_DELIVERY_ATTEMPTS = 6;
/** A call that takes longer has failed. */
export const CALL_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

export interface WebhookDeliveriesOptions {
  readonly store: Pick<Store, 'resources' | 'leases'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly allowPrivateNetworks: boolean;
  readonly resolveHost?: ResolveHost;
  /** Makes the calls. Default: HTTP, subject to `allowPrivateNetworks` and `resolveHost`. */
  readonly post?: PostOutbound;
  /** A number from 0 to below 1; random by default. */
  readonly random?: () => number;
}

export interface SentDelivery {
  readonly delivery: Delivery;
  /** What the host responded; empty: nothing. */
  readonly responseBody: string;
  /** Why it failed; null: it did not. */
  readonly error: GatewayError | null;
}

export class WebhookDeliveries {
  readonly allowPrivateNetworks: boolean;
  readonly #queue: DeliveryQueue<DeliveryBody, DeliveryRequest>;
  /** What hosts responded to calls that are tried once. */
  readonly #responses = new Map<Ruuid, string>();

  constructor(options: WebhookDeliveriesOptions) {
    const { store, clock, log, allowPrivateNetworks, resolveHost, random } = options;
    this.allowPrivateNetworks = allowPrivateNetworks;
    const post =
      options.post ??
      outboundCaller({
        clock,
        allowPrivateNetworks,
        timeoutMs: CALL_TIMEOUT_MS,
        ...(resolveHost === undefined ? {} : { resolveHost }),
      });
    const parts = { post, tokens: new OAuthClientTokens(post, clock), clock };
    this.#queue = new DeliveryQueue({
      store,
      clock,
      log,
      random,
      kind: DELIVERIES,
      leases: 'delivery/',
      calls: LIMITS.webhookCalls,
      full: WEBHOOK_ERRORS.WEBHOOK_QUEUE_FULL,
      noFacts: { httpStatus: null },
      maxOpen: LIMITS.openWebhookDeliveries.perOrganization,
      maxLogged: LIMITS.loggedWebhookDeliveries.perOrganization,
      maxAttempts: MAX_DELIVERY_ATTEMPTS,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      attempt: async ({ uuid }, request, signal) => {
        const outcome = await attemptDelivery(parts, uuid, request, signal);
        if (this.#responses.has(uuid)) this.#responses.set(uuid, outcome.responseBody);
        return queueOutcome(outcome);
      },
    });
  }

  /** Resumes the deliveries that were in progress when the gateway ended. */
  resume(): Promise<void> {
    return this.#queue.resume();
  }

  /** Continues deliveries of gateways that were killed. Rejects like the store. */
  takeOver(): Promise<void> {
    return this.#queue.takeOver();
  }

  /** Resolves with its UUID once it is logged; it is sent afterwards. If too many are open, it is logged as failed. */
  async send({ uuid = newRuuid(), orgUuid, causeUuid, event, ...request }: NewDelivery): Promise<Ruuid> {
    if ((await this.#queue.find(orgUuid, uuid)) !== null) return uuid;
    const body = { event, url: loggedUrl(request.url) };
    await this.#queue.add({ uuid, orgUuid, parentUuid: causeUuid, body, request });
    return uuid;
  }

  /**
   * Makes one attempt now, and logs it; it is never tried again. It takes a place among the organization's calls. Fails
   * WEBHOOK_QUEUE_FULL if there is none, and like the store.
   */
  async sendOnce({ orgUuid, causeUuid, event, ...request }: NewDelivery): Promise<SentDelivery> {
    const uuid = newRuuid();
    this.#responses.set(uuid, '');
    try {
      const body = { event, url: loggedUrl(request.url) };
      const { delivery, outcome } = await this.#queue.tryOnce({
        uuid,
        orgUuid,
        parentUuid: causeUuid,
        body,
        request,
      });
      const error = outcome.result === 'failed' ? outcome.error : null;
      return { delivery, responseBody: this.#responses.get(uuid) ?? '', error };
    } finally {
      this.#responses.delete(uuid);
    }
  }

  /** The log, in the order of creation. */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<ResourcePage<DeliveryBody>> {
    return this.#queue.page(orgUuid, query);
  }

  /** Resolves when nothing runs or waits for its turn; pauses between attempts do not count. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Ends calls in progress; undelivered ones stay pending. */
  close(): Promise<void> {
    return this.#queue.close();
  }
}

function queueOutcome(outcome: AttemptOutcome): QueueOutcome<DeliveryAttempt> {
  const facts = { httpStatus: outcome.httpStatus };
  if (outcome.result === 'delivered') return { result: 'delivered', facts };
  const { error, again, retryAfterMs } = outcome;
  return { result: 'failed', facts, error, again, retryAfterMs };
}

function loggedUrl(url: string): string {
  const { origin, pathname } = webhookUrl(url);
  return `${origin}${pathname}`;
}
