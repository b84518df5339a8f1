/**
 * Sends deliveries, a few at a time, and retries with growing, jittered pauses until one is accepted or the
 * attempts are used up. Every delivery has its row in the log; a pending one survives a restart. Of several gateways on
 * one database, one makes an attempt (delivery-leases.ts).
 */

import { randomInt } from 'node:crypto';
import { doubledMs, jitteredMs } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { TAKEOVER_INTERVAL_MS } from '../store/held-lease.ts';
import type { ResourcePageQuery, ResourceRepository } from '../store/resource.ts';
import { type ResourcePage, resourcePage } from '../store/resource-page.ts';
import type { Store } from '../store/store.ts';
import { type AttemptOutcome, attemptDelivery } from './delivery-attempt.ts';
import { type AbandonedDelivery, type DeliveryLease, DeliveryLeases, OWN } from './delivery-leases.ts';
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
/** Unfinished deliveries of one organization. */
const MAX_OPEN_PER_ORG = LIMITS.openWebhookDeliveries.perOrganization;
/** Rows of an organization's log; the oldest are removed first. */
const MAX_LOGGED_PER_ORG = LIMITS.loggedWebhookDeliveries.perOrganization;

/** A call that takes longer has failed. */
export const CALL_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** The log can exceed its limit by this many rows before rows are removed, so that not every delivery has to check. */
const LOG_SLACK = 100;
/** Deliveries of killed gateways that are taken over in one batch. */
const MAX_TAKEN_OVER = 100;

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
  readonly answer: string;
  /** Why it failed; null: it did not. */
  readonly error: GatewayError | null;
}

/** An unfinished delivery. */
interface OpenDelivery {
  delivery: Delivery;
  readonly request: DeliveryRequest;
  /** Waits for its next attempt; null: waits for its turn or runs. */
  timer: TimerHandle | null;
  /** As of the last attempt; null: there was none. */
  lease: DeliveryLease | null;
}

export class WebhookDeliveries {
  readonly allowPrivateNetworks: boolean;
  readonly #repository: ResourceRepository<DeliveryBody>;
  readonly #leases: DeliveryLeases;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #random: () => number;
  readonly #attempt: (uuid: Ruuid, request: DeliveryRequest, signal: AbortSignal) => Promise<AttemptOutcome>;
  readonly #openByOrg = new Map<Ruuid, Set<OpenDelivery>>();
  readonly #places = new Pool(LIMITS.webhookCalls);
  readonly #addedByOrg = new Map<Ruuid, number>();
  readonly #stop = new AbortController();
  readonly #waiting: OpenDelivery[] = [];
  readonly #idleWaiters: (() => void)[] = [];
  #takeover: TimerHandle | null = null;

  constructor(options: WebhookDeliveriesOptions) {
    const { store, clock, log, allowPrivateNetworks, resolveHost, random } = options;
    this.allowPrivateNetworks = allowPrivateNetworks;
    this.#repository = store.resources.of(DELIVERIES);
    this.#leases = new DeliveryLeases(store.leases, clock);
    this.#clock = clock;
    this.#log = log;
    this.#random = random ?? (() => randomInt(2 ** 32) / 2 ** 32);
    const post =
      options.post ??
      outboundCaller({
        clock,
        allowPrivateNetworks,
        timeoutMs: CALL_TIMEOUT_MS,
        ...(resolveHost === undefined ? {} : { resolveHost }),
      });
    const parts = { post, tokens: new OAuthClientTokens(post, clock), clock };
    this.#attempt = (uuid, request, signal) => attemptDelivery(parts, uuid, request, signal);
  }

  /** Resumes the deliveries that were in progress when the gateway ended. */
  async resume(): Promise<void> {
    for (const delivery of await this.#repository.listEverywhere()) {
      if (delivery.body.state !== 'PENDING') continue;
      const lease = await this.#leases.take(delivery);
      if (lease === OWN) this.#resume(delivery, lease);
      // Another gateway may have made it since the list was read.
      else if (lease !== null) await this.#resumeTaken({ ...delivery, lease });
    }
    if (this.#leases.isShared) this.#armTakeover();
  }

  /** False: it is finished. Rejects like the store. */
  async #resumeTaken({ orgUuid, uuid, lease }: AbandonedDelivery): Promise<boolean> {
    const delivery = await this.#repository.find(orgUuid, uuid);
    const isPending = delivery?.body.state === 'PENDING';
    if (isPending) this.#resume(delivery, lease);
    else await this.#leases.release(lease);
    return isPending;
  }

  #resume(delivery: Delivery, lease: DeliveryLease): void {
    if (delivery.secret === null || this.#stop.signal.aborted) return;
    const request = JSON.parse(delivery.secret.reveal()) as DeliveryRequest;
    this.#schedule(this.#opened(delivery, request, lease), delivery.body.nextAttemptAtMs ?? 0);
  }

  #armTakeover(): void {
    if (this.#stop.signal.aborted) return;
    this.#takeover = this.#clock.after(TAKEOVER_INTERVAL_MS, () => {
      this.takeOver()
        .catch((thrown: unknown) => {
          this.#log.error({ err: toGatewayError(thrown) }, 'deliveries of other gateways not looked through');
        })
        .finally(() => this.#armTakeover());
    });
  }

  /** Continues deliveries of gateways that were killed. Rejects like the store. */
  async takeOver(): Promise<void> {
    for (const abandoned of await this.#leases.takeAbandoned(MAX_TAKEN_OVER)) {
      const { orgUuid, uuid } = abandoned;
      const isOpen = [...(this.#openByOrg.get(orgUuid) ?? [])].some((open) => open.delivery.uuid === uuid);
      if (isOpen) continue;
      const isResumed = await this.#resumeTaken(abandoned);
      if (isResumed) this.#log.info({ delivery: uuid }, 'delivery taken over');
    }
  }

  /** Resolves with its UUID once it is logged; it is sent afterwards. If too many are open, it is logged as failed. */
  async send({ uuid, orgUuid, causeUuid, event, ...request }: NewDelivery): Promise<Ruuid> {
    if (uuid !== undefined && (await this.#repository.find(orgUuid, uuid)) !== null) return uuid;
    const nowMs = this.#clock.epochMs();
    const isFull = (this.#openByOrg.get(orgUuid)?.size ?? 0) >= MAX_OPEN_PER_ORG;
    const delivery: Delivery = {
      uuid: uuid ?? newRuuid(),
      orgUuid,
      name: '',
      parentUuid: causeUuid,
      body: {
        event,
        url: loggedUrl(request.url),
        state: isFull ? 'FAILED' : 'PENDING',
        attempts: isFull ? [queueFull(nowMs)] : [],
        nextAttemptAtMs: isFull ? null : nowMs,
      },
      secret: isFull ? null : new Secret(JSON.stringify(request)),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const open = isFull ? null : this.#opened(delivery, request, null);
    try {
      // The lease comes first, so that another gateway takes over if this one is killed in between.
      if (open !== null) open.lease = await this.#leases.take(delivery);
      const { after } = await this.#repository.change(orgUuid, delivery.uuid, (known) => known ?? delivery);
      if (open !== null) await this.#begin(open, after ?? delivery);
    } catch (thrown) {
      if (open !== null) this.#closed(open);
      throw thrown;
    }
    await this.#trimLog(orgUuid).catch((thrown: unknown) => {
      this.#log.warn({ err: toGatewayError(thrown), orgUuid }, 'delivery log not trimmed');
    });
    return delivery.uuid;
  }

  /**
   * Makes one attempt now, and logs it; it is never tried again. It takes a place among the organization's calls. Fails
   * WEBHOOK_QUEUE_FULL if there is none, and like the store.
   */
  async sendOnce({ orgUuid, causeUuid, event, ...request }: NewDelivery): Promise<SentDelivery> {
    const place = this.#places.take({ organization: orgUuid });
    if (!place.isTaken) throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_QUEUE_FULL);
    try {
      const uuid = newRuuid();
      const atMs = this.#clock.epochMs();
      const startedMonoMs = this.#clock.monoMs();
      const outcome = await this.#attempt(uuid, request, this.#stop.signal);
      const attempt: DeliveryAttempt = {
        atMs,
        durationMs: Math.round(this.#clock.monoMs() - startedMonoMs),
        httpStatus: outcome.httpStatus,
        errorCode: outcome.result === 'failed' ? outcome.error.code : null,
      };
      const state = outcome.result === 'delivered' ? 'DELIVERED' : 'FAILED';
      const delivery: Delivery = {
        uuid,
        orgUuid,
        name: '',
        parentUuid: causeUuid,
        body: { event, url: loggedUrl(request.url), state, attempts: [attempt], nextAttemptAtMs: null },
        secret: null,
        createdAtMs: atMs,
        updatedAtMs: this.#clock.epochMs(),
      };
      await this.#repository.save(delivery);
      await this.#trimLog(orgUuid);
      return { delivery, answer: outcome.answer, error: outcome.result === 'failed' ? outcome.error : null };
    } finally {
      place.giveBack();
      this.#startWaiting();
    }
  }

  /** The log, in the order of creation. */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<ResourcePage<DeliveryBody>> {
    return resourcePage(this.#repository, orgUuid, query);
  }

  /** Resolves when nothing runs or waits for its turn; pauses between attempts do not count. */
  async idle(): Promise<void> {
    if (this.#places.used === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Ends calls in progress; undelivered ones stay pending. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#waiting.length = 0;
    for (const open of this.#openByOrg.values()) for (const each of open) each.timer?.cancel();
    this.#takeover?.cancel();
    await this.idle();
    await this.#leases.releaseAll();
  }

  /** `stored`: another gateway may have logged it, and even made it, in the meantime. */
  async #begin(open: OpenDelivery, stored: Delivery): Promise<void> {
    open.delivery = stored;
    if (open.lease !== null && stored.body.state === 'PENDING') {
      this.#schedule(open, stored.body.nextAttemptAtMs ?? 0);
      return;
    }
    this.#closed(open);
    if (open.lease !== null) await this.#leases.release(open.lease);
  }

  #opened(delivery: Delivery, request: DeliveryRequest, lease: DeliveryLease | null): OpenDelivery {
    const open: OpenDelivery = { delivery, request, timer: null, lease };
    const ofOrg = this.#openByOrg.get(delivery.orgUuid) ?? new Set();
    this.#openByOrg.set(delivery.orgUuid, ofOrg.add(open));
    return open;
  }

  #closed(open: OpenDelivery): void {
    const { orgUuid } = open.delivery;
    const ofOrg = this.#openByOrg.get(orgUuid);
    ofOrg?.delete(open);
    if (ofOrg?.size === 0) this.#openByOrg.delete(orgUuid);
  }

  #schedule(open: OpenDelivery, atMs: number): void {
    if (this.#stop.signal.aborted) return;
    const pauseMs = atMs - this.#clock.epochMs();
    if (pauseMs <= 0) {
      this.#waiting.push(open);
      this.#startWaiting();
      return;
    }
    open.timer = this.#clock.after(Math.min(pauseMs, LONGEST_PAUSE_MS), () => {
      open.timer = null;
      this.#waiting.push(open);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (let index = 0; index < this.#waiting.length; ) {
      const open = this.#waiting[index]!;
      const place = this.#places.take({ organization: open.delivery.orgUuid });
      if (!place.isTaken) {
        if (place.level === 'all') return;
        index += 1;
        continue;
      }
      this.#waiting.splice(index, 1);
      void this.#run(open, place.giveBack);
    }
  }

  async #run(open: OpenDelivery, giveBack: () => void): Promise<void> {
    const { uuid } = open.delivery;
    try {
      await this.#tryOnce(open);
    } catch (thrown) {
      // The row stays pending: it is retried when the store may be back, or at the next start.
      const error = toGatewayError(thrown);
      if (error.kind === 'unavailable') this.#schedule(open, this.#clock.epochMs() + LONGEST_PAUSE_MS);
      else this.#closed(open);
      this.#log.error({ err: error, delivery: uuid }, 'delivery not logged');
    }
    giveBack();
    this.#startWaiting();
    if (this.#places.used === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idleWaiters.splice(0)) resolve();
    }
  }

  async #tryOnce(open: OpenDelivery): Promise<void> {
    const { uuid } = open.delivery;
    const lease = await this.#takeFor(open);
    if (lease === null) return this.#closed(open);
    const startedMonoMs = this.#clock.monoMs();
    const atMs = this.#clock.epochMs();
    const outcome = await this.#attempt(uuid, open.request, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const attempt: DeliveryAttempt = {
      atMs,
      durationMs: Math.round(this.#clock.monoMs() - startedMonoMs),
      httpStatus: outcome.httpStatus,
      errorCode: outcome.result === 'failed' ? outcome.error.code : null,
    };
    // Another gateway may have taken it over in the meantime: its attempts stay in the log, too.
    const { after } = await this.#repository.change(open.delivery.orgUuid, uuid, (known) =>
      known === null ? 'unchanged' : this.#attempted(known, attempt, outcome),
    );
    const { state, attempts, nextAttemptAtMs } = (after ?? open.delivery).body;
    this.#log.debug({ delivery: uuid, state, attempt: attempts.length, ...attempt }, 'delivery attempted');
    if (after === null || nextAttemptAtMs === null) {
      this.#closed(open);
      await this.#leases.release(lease);
      return;
    }
    open.delivery = after;
    const isOurs = await this.#leases.keep(lease, nextAttemptAtMs - this.#clock.epochMs());
    if (isOurs) this.#schedule(open, nextAttemptAtMs);
    else this.#leave(open);
  }

  /** null: the delivery no longer belongs to this gateway. */
  async #takeFor(open: OpenDelivery): Promise<DeliveryLease | null> {
    const { orgUuid, uuid } = open.delivery;
    const lease = await this.#leases.take(open.delivery);
    if (lease === null) {
      this.#leave(open);
      return null;
    }
    const isUntouched = lease === OWN || (open.lease !== OWN && open.lease?.fence === lease.fence);
    open.lease = lease;
    if (isUntouched) return lease;
    const known = await this.#repository.find(orgUuid, uuid);
    if (known?.body.state === 'PENDING') {
      open.delivery = known;
      return lease;
    }
    await this.#leases.release(lease);
    return null;
  }

  #leave(open: OpenDelivery): void {
    this.#closed(open);
    this.#log.info({ delivery: open.delivery.uuid }, 'delivery left to another gateway');
  }

  #attempted(known: Delivery, attempt: DeliveryAttempt, outcome: AttemptOutcome): Delivery {
    const attempts = [...known.body.attempts, attempt];
    const isOver = known.body.state !== 'PENDING';
    const nextAttemptAtMs = isOver ? null : this.#nextAttemptAtMs(outcome, attempts.length);
    const ended = isOver ? known.body.state : 'FAILED';
    const state = outcome.result === 'delivered' ? 'DELIVERED' : nextAttemptAtMs === null ? ended : 'PENDING';
    return {
      ...known,
      body: { ...known.body, state, attempts, nextAttemptAtMs },
      secret: state === 'PENDING' ? known.secret : null,
      updatedAtMs: this.#clock.epochMs(),
    };
  }

  /** Equal jitter: half of the pause is fixed, half is random, so that hosts that recover do not get everything at the same time. */
  #nextAttemptAtMs(outcome: AttemptOutcome, attemptsMade: number): number | null {
    if (outcome.result === 'delivered' || !outcome.again || attemptsMade >= MAX_DELIVERY_ATTEMPTS)
      return null;
    // Two doublings: six attempts reach over some minutes.
    const pauseMs = doubledMs({ firstMs: FIRST_PAUSE_MS, lastMs: LONGEST_PAUSE_MS }, 2 * attemptsMade - 1);
    const requestedMs = Math.min(outcome.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    return this.#clock.epochMs() + Math.ceil(Math.max(jitteredMs(pauseMs, this.#random), requestedMs));
  }

  async #trimLog(orgUuid: Ruuid): Promise<void> {
    const added = (this.#addedByOrg.get(orgUuid) ?? LOG_SLACK) + 1;
    this.#addedByOrg.set(orgUuid, added % LOG_SLACK);
    if (added < LOG_SLACK) return;
    const excess = (await this.#repository.count(orgUuid)) - MAX_LOGGED_PER_ORG;
    if (excess <= 0) return;
    for (const { uuid, body } of await this.#repository.page(orgUuid, { after: null, limit: excess })) {
      if (body.state !== 'PENDING') await this.#repository.remove(orgUuid, uuid);
    }
  }
}

function loggedUrl(url: string): string {
  const { origin, pathname } = webhookUrl(url);
  return `${origin}${pathname}`;
}

function queueFull(atMs: number): DeliveryAttempt {
  return { atMs, durationMs: 0, httpStatus: null, errorCode: WEBHOOK_ERRORS.WEBHOOK_QUEUE_FULL.code };
}
