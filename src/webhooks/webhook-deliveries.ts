/**
 * Sends deliveries, a few at a time, and retries with growing, jittered pauses until one is accepted or the
 * attempts are used up. Every delivery has its row in the log; a pending one survives a restart.
 */

import { randomInt } from 'node:crypto';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { ResourcePageQuery, ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { type AttemptOutcome, attemptDelivery } from './delivery-attempt.ts';
import { WEBHOOK_ERRORS } from './errors.ts';
import { OAuthClientTokens } from './oauth-client-tokens.ts';
import { outboundCaller, type ResolveHost } from './outbound-call.ts';
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
const MAX_OPEN_PER_ORG = 1_000;
/** Rows of an organization's log; the oldest are removed first. */
const MAX_LOGGED_PER_ORG = 2_000;
/** Concurrent attempts, in total and per organization, so that slow hosts of one do not hold up the others. */
const MAX_RUNNING = 16;
const MAX_RUNNING_PER_ORG = 4;

const CALL_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** The log can exceed its limit by this many rows before rows are removed, so that not every delivery has to check. */
const LOG_SLACK = 100;

export interface WebhookDeliveriesOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly allowPrivateNetworks: boolean;
  readonly resolveHost?: ResolveHost;
  /** A number from 0 to below 1; random by default. */
  readonly random?: () => number;
}

/** An unfinished delivery. */
interface OpenDelivery {
  delivery: Delivery;
  readonly request: DeliveryRequest;
  /** Waits for its next attempt; null: waits for its turn or runs. */
  timer: TimerHandle | null;
}

export class WebhookDeliveries {
  readonly allowPrivateNetworks: boolean;
  readonly #repository: ResourceRepository<DeliveryBody>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #random: () => number;
  readonly #attempt: (uuid: Ruuid, request: DeliveryRequest, signal: AbortSignal) => Promise<AttemptOutcome>;
  readonly #openByOrg = new Map<Ruuid, Set<OpenDelivery>>();
  readonly #runningByOrg = new Map<Ruuid, number>();
  readonly #addedByOrg = new Map<Ruuid, number>();
  readonly #stop = new AbortController();
  readonly #waiting: OpenDelivery[] = [];
  readonly #idleWaiters: (() => void)[] = [];
  #running = 0;

  constructor(options: WebhookDeliveriesOptions) {
    const { store, clock, log, allowPrivateNetworks, resolveHost, random } = options;
    this.allowPrivateNetworks = allowPrivateNetworks;
    this.#repository = store.resources.of(DELIVERIES);
    this.#clock = clock;
    this.#log = log;
    this.#random = random ?? (() => randomInt(2 ** 32) / 2 ** 32);
    const post = outboundCaller({
      ...{ clock, allowPrivateNetworks, timeoutMs: CALL_TIMEOUT_MS },
      ...(resolveHost === undefined ? {} : { resolveHost }),
    });
    const parts = { post, tokens: new OAuthClientTokens(post, clock), clock };
    this.#attempt = (uuid, request, signal) => attemptDelivery(parts, uuid, request, signal);
  }

  /** Resumes what was in progress when the gateway ended. */
  async resume(): Promise<void> {
    for (const delivery of await this.#repository.listEverywhere()) {
      if (delivery.body.state !== 'PENDING' || delivery.secret === null) continue;
      const request = JSON.parse(delivery.secret.reveal()) as DeliveryRequest;
      this.#schedule(this.#opened(delivery, request), delivery.body.nextAttemptAtMs ?? 0);
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
    const open = isFull ? null : this.#opened(delivery, request);
    try {
      await this.#repository.save(delivery);
    } catch (thrown) {
      if (open !== null) this.#closed(open);
      throw thrown;
    }
    if (open !== null) this.#schedule(open, nowMs);
    await this.#trimLog(orgUuid).catch((thrown: unknown) => {
      this.#log.warn({ err: toGatewayError(thrown), orgUuid }, 'delivery log not trimmed');
    });
    return delivery.uuid;
  }

  /** The log, in the order of creation. */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<Delivery[]> {
    return this.#repository.page(orgUuid, query);
  }

  /** Resolves when nothing runs or waits for its turn; pauses between attempts do not count. */
  async idle(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Ends calls in progress; undelivered ones stay pending. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#waiting.length = 0;
    for (const open of this.#openByOrg.values()) for (const each of open) each.timer?.cancel();
    await this.idle();
  }

  #opened(delivery: Delivery, request: DeliveryRequest): OpenDelivery {
    const open: OpenDelivery = { delivery, request, timer: null };
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
    for (let index = 0; index < this.#waiting.length && this.#running < MAX_RUNNING; ) {
      const open = this.#waiting[index]!;
      const ofOrg = this.#runningByOrg.get(open.delivery.orgUuid) ?? 0;
      if (ofOrg >= MAX_RUNNING_PER_ORG) {
        index += 1;
        continue;
      }
      this.#waiting.splice(index, 1);
      this.#running += 1;
      this.#runningByOrg.set(open.delivery.orgUuid, ofOrg + 1);
      void this.#run(open);
    }
  }

  async #run(open: OpenDelivery): Promise<void> {
    const { orgUuid, uuid } = open.delivery;
    try {
      await this.#tryOnce(open);
    } catch (thrown) {
      // The row stays pending: it is retried when the store may be back, or at the next start.
      const error = toGatewayError(thrown);
      if (error.kind === 'unavailable') this.#schedule(open, this.#clock.epochMs() + LONGEST_PAUSE_MS);
      else this.#closed(open);
      this.#log.error({ err: error, delivery: uuid }, 'delivery not logged');
    }
    const left = (this.#runningByOrg.get(orgUuid) ?? 1) - 1;
    if (left === 0) this.#runningByOrg.delete(orgUuid);
    else this.#runningByOrg.set(orgUuid, left);
    this.#running -= 1;
    this.#startWaiting();
    if (this.#running === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idleWaiters.splice(0)) resolve();
    }
  }

  async #tryOnce(open: OpenDelivery): Promise<void> {
    const { uuid, body } = open.delivery;
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
    const attempts = [...body.attempts, attempt];
    const nextAttemptAtMs = this.#nextAttemptAtMs(outcome, attempts.length);
    const state =
      outcome.result === 'delivered' ? 'DELIVERED' : nextAttemptAtMs === null ? 'FAILED' : 'PENDING';
    open.delivery = {
      ...open.delivery,
      body: { ...body, state, attempts, nextAttemptAtMs },
      secret: state === 'PENDING' ? open.delivery.secret : null,
      updatedAtMs: this.#clock.epochMs(),
    };
    await this.#repository.save(open.delivery);
    this.#log.debug({ delivery: uuid, state, attempt: attempts.length, ...attempt }, 'delivery attempted');
    if (nextAttemptAtMs === null) this.#closed(open);
    else this.#schedule(open, nextAttemptAtMs);
  }

  /**
   * Equal jitter: half of the pause is fixed, half is random, so that hosts that come back do not get everything at
   * once.
   */
  #nextAttemptAtMs(outcome: AttemptOutcome, attemptsMade: number): number | null {
    if (outcome.result === 'delivered' || !outcome.again || attemptsMade >= MAX_DELIVERY_ATTEMPTS)
      return null;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (attemptsMade - 1));
    const jitteredMs = pauseMs / 2 + (pauseMs / 2) * this.#random();
    const askedMs = Math.min(outcome.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    return this.#clock.epochMs() + Math.ceil(Math.max(jitteredMs, askedMs));
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
