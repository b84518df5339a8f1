/**
 * Sends deliveries, a few at a time, and retries with growing, jittered pauses until one is accepted or the
 * attempts are used up. Every delivery has its row in the log; a pending one survives a restart. Of several gateways on
 * one database, one makes an attempt (delivery-leases.ts).
 */

import { randomInt } from 'node:crypto';
import { doubledMs, jitteredMs } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { type ErrorDefinition, GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import type { LevelShare, PoolLimit } from '../core/limits/shared-limit.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { TAKEOVER_INTERVAL_MS } from '../store/held-lease.ts';
import type { Resource, ResourceKind, ResourcePageQuery, ResourceRepository } from '../store/resource.ts';
import { type ResourcePage, resourcePage } from '../store/resource-page.ts';
import type { Store } from '../store/store.ts';
import type { AttemptOf, LoggedAttempt, QueuedBody, QueueOutcome } from './delivery.ts';
import { type AbandonedDelivery, type DeliveryLease, DeliveryLeases, OWN } from './delivery-leases.ts';

/** Calls that are shared out among organizations. */
type CallLimit = Omit<PoolLimit, 'levels'> & { readonly levels: { readonly organization: LevelShare } };

export interface DeliveryQueueOptions<Body extends QueuedBody<LoggedAttempt>, Request extends object> {
  readonly store: Pick<Store, 'resources' | 'leases'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly kind: ResourceKind<Body>;
  /** What the names of its leases begin with. */
  readonly leases: string;
  readonly calls: CallLimit;
  /** Why nothing more is accepted while too many are open. */
  readonly full: ErrorDefinition;
  /** What an attempt has in the log if nothing was sent. */
  readonly noFacts: Omit<AttemptOf<Body>, keyof LoggedAttempt>;
  /** Unfinished deliveries of one organization. */
  readonly maxOpen: number;
  /** Rows of an organization's log; the oldest are removed first. */
  readonly maxLogged: number;
  readonly maxAttempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Never rejects, except like the store. */
  readonly attempt: (
    delivery: Resource<Body>,
    request: Request,
    signal: AbortSignal,
  ) => Promise<QueueOutcome<AttemptOf<Body>>>;
  /** A number from 0 to below 1; random by default. */
  readonly random?: (() => number) | undefined;
}

/** A delivery to add; its body without what the queue itself decides. */
export interface AddedDelivery<Body extends object, Request extends object>
  extends Pick<Resource<Body>, 'uuid' | 'orgUuid' | 'parentUuid'> {
  readonly body: Omit<Body, keyof QueuedBody<LoggedAttempt>>;
  readonly request: Request;
  /** Default: now. */
  readonly atMs?: number;
}

/** A delivery that was tried once. */
export interface TriedOnce<Body extends QueuedBody<LoggedAttempt>> {
  readonly delivery: Resource<Body>;
  readonly outcome: QueueOutcome<AttemptOf<Body>>;
}

/** An unfinished delivery. */
interface OpenDelivery<Body extends object, Request extends object> {
  delivery: Resource<Body>;
  readonly request: Request;
  /** Waits for its next attempt; null: waits for its turn or runs. */
  timer: TimerHandle | null;
  /** As of the last attempt; null: there was none. */
  lease: DeliveryLease | null;
}

/** The log can exceed its limit by this many rows before rows are removed, so that not every delivery has to check. */
const LOG_SLACK = 100;
/** Deliveries of killed gateways that are taken over in one batch. */
const MAX_TAKEN_OVER = 100;

export class DeliveryQueue<Body extends QueuedBody<LoggedAttempt>, Request extends object> {
  readonly #options: DeliveryQueueOptions<Body, Request>;
  readonly #repository: ResourceRepository<Body>;
  readonly #leases: DeliveryLeases;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #random: () => number;
  readonly #openByOrg = new Map<Ruuid, Set<OpenDelivery<Body, Request>>>();
  readonly #places: Pool<CallLimit>;
  readonly #addedByOrg = new Map<Ruuid, number>();
  readonly #stop = new AbortController();
  readonly #waiting: OpenDelivery<Body, Request>[] = [];
  readonly #idleWaiters: (() => void)[] = [];
  #takeover: TimerHandle | null = null;

  constructor(options: DeliveryQueueOptions<Body, Request>) {
    const { store, clock, log, random } = options;
    this.#options = options;
    this.#repository = store.resources.of(options.kind);
    this.#leases = new DeliveryLeases(store.leases, clock, options.leases);
    this.#clock = clock;
    this.#log = log;
    this.#random = random ?? (() => randomInt(2 ** 32) / 2 ** 32);
    this.#places = new Pool(options.calls);
  }

  /** Resumes the deliveries that were in progress when the gateway ended. */
  async resume(): Promise<void> {
    for (const delivery of await this.#repository.listEverywhere()) {
      if (delivery.body.state !== 'PENDING') continue;
      const lease = await this.#leases.take(delivery, delivery.body.nextAttemptAtMs ?? 0);
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
    if (isPending) {
      await this.#leases.keep(lease, (delivery.body.nextAttemptAtMs ?? 0) - this.#clock.epochMs());
      this.#resume(delivery, lease);
    } else await this.#leases.release(lease);
    return isPending;
  }

  #resume(delivery: Resource<Body>, lease: DeliveryLease): void {
    if (delivery.secret === null || this.#stop.signal.aborted) return;
    const request = JSON.parse(delivery.secret.reveal()) as Request;
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

  find(orgUuid: Ruuid, uuid: Ruuid): Promise<Resource<Body> | null> {
    return this.#repository.find(orgUuid, uuid);
  }

  /** Resolves once it is logged; it is sent afterwards. If too many are open, it is logged as failed. One that is logged stays as it is. */
  async add({ uuid, orgUuid, parentUuid, body, request, atMs }: AddedDelivery<Body, Request>): Promise<void> {
    const nowMs = this.#clock.epochMs();
    const isFull = (this.#openByOrg.get(orgUuid)?.size ?? 0) >= this.#options.maxOpen;
    const delivery = {
      uuid,
      orgUuid,
      name: '',
      parentUuid,
      body: {
        ...body,
        state: isFull ? 'FAILED' : 'PENDING',
        attempts: isFull ? [this.#refused(nowMs)] : [],
        nextAttemptAtMs: isFull ? null : (atMs ?? nowMs),
      },
      secret: isFull ? null : new Secret(JSON.stringify(request)),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    } as unknown as Resource<Body>;
    const open = isFull ? null : this.#opened(delivery, request, null);
    try {
      // The lease comes first, so that another gateway takes over if this one is killed in between.
      if (open !== null) open.lease = await this.#leases.take(delivery, delivery.body.nextAttemptAtMs ?? 0);
      const { after } = await this.#repository.change(orgUuid, uuid, (known) => known ?? delivery);
      if (open !== null) await this.#begin(open, after ?? delivery);
    } catch (thrown) {
      if (open !== null) this.#closed(open);
      throw thrown;
    }
    await this.#trimLog(orgUuid).catch((thrown: unknown) => {
      this.#log.warn({ err: toGatewayError(thrown), orgUuid }, 'delivery log not trimmed');
    });
  }

  /**
   * Makes one attempt now, and logs it; it is never tried again. It takes a place among the organization's calls. Fails with `full` if
   * there is none, and like the store.
   */
  async tryOnce({
    uuid,
    orgUuid,
    parentUuid,
    body,
    request,
  }: AddedDelivery<Body, Request>): Promise<TriedOnce<Body>> {
    const place = this.#places.take({ organization: orgUuid });
    if (!place.isTaken) throw new GatewayError(this.#options.full);
    try {
      const atMs = this.#clock.epochMs();
      const startedMonoMs = this.#clock.monoMs();
      const rows = { uuid, orgUuid, name: '', parentUuid, secret: null, createdAtMs: atMs };
      const pending = { ...body, state: 'PENDING', attempts: [], nextAttemptAtMs: null };
      const outcome = await this.#options.attempt(
        { ...rows, body: pending, updatedAtMs: atMs } as unknown as Resource<Body>,
        request,
        this.#stop.signal,
      );
      const attempts = [this.#logged(outcome, atMs, startedMonoMs)];
      const state = outcome.result === 'delivered' ? 'DELIVERED' : 'FAILED';
      const delivery = {
        ...rows,
        body: { ...body, ...learnedIn(outcome), state, attempts, nextAttemptAtMs: null },
        updatedAtMs: this.#clock.epochMs(),
      } as unknown as Resource<Body>;
      await this.#repository.save(delivery);
      await this.#trimLog(orgUuid);
      return { delivery, outcome };
    } finally {
      place.giveBack();
      this.#startWaiting();
    }
  }

  /** The log, in the order of creation. */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<ResourcePage<Body>> {
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
  async #begin(open: OpenDelivery<Body, Request>, stored: Resource<Body>): Promise<void> {
    open.delivery = stored;
    if (open.lease !== null && stored.body.state === 'PENDING') {
      this.#schedule(open, stored.body.nextAttemptAtMs ?? 0);
      return;
    }
    this.#closed(open);
    if (open.lease !== null) await this.#leases.release(open.lease);
  }

  #opened(
    delivery: Resource<Body>,
    request: Request,
    lease: DeliveryLease | null,
  ): OpenDelivery<Body, Request> {
    const open: OpenDelivery<Body, Request> = { delivery, request, timer: null, lease };
    const ofOrg = this.#openByOrg.get(delivery.orgUuid) ?? new Set();
    this.#openByOrg.set(delivery.orgUuid, ofOrg.add(open));
    return open;
  }

  #closed(open: OpenDelivery<Body, Request>): void {
    const { orgUuid } = open.delivery;
    const ofOrg = this.#openByOrg.get(orgUuid);
    ofOrg?.delete(open);
    if (ofOrg?.size === 0) this.#openByOrg.delete(orgUuid);
  }

  #schedule(open: OpenDelivery<Body, Request>, atMs: number): void {
    if (this.#stop.signal.aborted) return;
    const pauseMs = atMs - this.#clock.epochMs();
    if (pauseMs <= 0) {
      this.#waiting.push(open);
      this.#startWaiting();
      return;
    }
    open.timer = this.#clock.after(Math.min(pauseMs, this.#options.longestPauseMs), () => {
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

  async #run(open: OpenDelivery<Body, Request>, giveBack: () => void): Promise<void> {
    const { uuid } = open.delivery;
    try {
      await this.#tryOpen(open);
    } catch (thrown) {
      // The row stays pending: it is retried when the store may be back, or at the next start.
      const error = toGatewayError(thrown);
      if (error.kind === 'unavailable')
        this.#schedule(open, this.#clock.epochMs() + this.#options.longestPauseMs);
      else this.#closed(open);
      this.#log.error({ err: error, delivery: uuid }, 'delivery not logged');
    }
    giveBack();
    this.#startWaiting();
    if (this.#places.used === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idleWaiters.splice(0)) resolve();
    }
  }

  async #tryOpen(open: OpenDelivery<Body, Request>): Promise<void> {
    const { orgUuid, uuid } = open.delivery;
    const lease = await this.#takeFor(open);
    if (lease === null) return this.#closed(open);
    const startedMonoMs = this.#clock.monoMs();
    const atMs = this.#clock.epochMs();
    const outcome = await this.#options.attempt(open.delivery, open.request, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const attempt = this.#logged(outcome, atMs, startedMonoMs);
    // Another gateway may have taken it over in the meantime: its attempts stay in the log, too.
    const { after } = await this.#repository.change(orgUuid, uuid, (known) => {
      if (known === null) return 'unchanged';
      return outcome.result === 'dropped' ? 'removed' : this.#attempted(known, attempt, outcome);
    });
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
  async #takeFor(open: OpenDelivery<Body, Request>): Promise<DeliveryLease | null> {
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

  #leave(open: OpenDelivery<Body, Request>): void {
    this.#closed(open);
    this.#log.info({ delivery: open.delivery.uuid }, 'delivery left to another gateway');
  }

  #attempted(
    known: Resource<Body>,
    attempt: AttemptOf<Body>,
    outcome: QueueOutcome<AttemptOf<Body>>,
  ): Resource<Body> {
    const attempts = [...known.body.attempts, attempt];
    const isOver = known.body.state !== 'PENDING';
    const nextAttemptAtMs = isOver ? null : this.#nextAttemptAtMs(outcome, attempts.length);
    const ended = isOver ? known.body.state : 'FAILED';
    const state = outcome.result === 'delivered' ? 'DELIVERED' : nextAttemptAtMs === null ? ended : 'PENDING';
    return {
      ...known,
      body: { ...known.body, ...learnedIn(outcome), state, attempts, nextAttemptAtMs },
      secret: state === 'PENDING' ? known.secret : null,
      updatedAtMs: this.#clock.epochMs(),
    };
  }

  #logged(outcome: QueueOutcome<AttemptOf<Body>>, atMs: number, startedMonoMs: number): AttemptOf<Body> {
    return {
      atMs,
      durationMs: Math.round(this.#clock.monoMs() - startedMonoMs),
      errorCode: outcome.result === 'failed' ? outcome.error.code : null,
      ...(outcome.result === 'dropped' ? this.#options.noFacts : outcome.facts),
    } as unknown as AttemptOf<Body>;
  }

  #refused(atMs: number): AttemptOf<Body> {
    const { noFacts, full } = this.#options;
    return { atMs, durationMs: 0, errorCode: full.code, ...noFacts } as unknown as AttemptOf<Body>;
  }

  /** Equal jitter: half of the pause is fixed, half is random, so that hosts that recover do not get everything at the same time. */
  #nextAttemptAtMs(outcome: QueueOutcome<AttemptOf<Body>>, attemptsMade: number): number | null {
    const { maxAttempts, firstPauseMs: firstMs, longestPauseMs: lastMs } = this.#options;
    if (outcome.result !== 'failed' || !outcome.again || attemptsMade >= maxAttempts) return null;
    // Two doublings: few attempts reach over some time.
    const pauseMs = doubledMs({ firstMs, lastMs }, 2 * attemptsMade - 1);
    const requestedMs = Math.min(outcome.retryAfterMs ?? 0, lastMs);
    return this.#clock.epochMs() + Math.ceil(Math.max(jitteredMs(pauseMs, this.#random), requestedMs));
  }

  async #trimLog(orgUuid: Ruuid): Promise<void> {
    const added = (this.#addedByOrg.get(orgUuid) ?? LOG_SLACK) + 1;
    this.#addedByOrg.set(orgUuid, added % LOG_SLACK);
    if (added < LOG_SLACK) return;
    const excess = (await this.#repository.count(orgUuid)) - this.#options.maxLogged;
    if (excess <= 0) return;
    for (const { uuid, body } of await this.#repository.page(orgUuid, { after: null, limit: excess })) {
      if (body.state !== 'PENDING') await this.#repository.remove(orgUuid, uuid);
    }
  }
}

function learnedIn(outcome: QueueOutcome<LoggedAttempt>): object {
  return outcome.result === 'dropped' ? {} : (outcome.learned ?? {});
}
