/**
 * Hands notifications to push services: a few at a time, each organization with its share, and again with growing, jittered pauses if a
 * service fails for a while. Endpoints are URLs that people give, so they are called like webhooks: no private addresses, no redirects.
 * Notifications wait in memory: after a restart, alerts are in the list, and no one is told late.
 */

import { randomInt } from 'node:crypto';
import {
  type PushSubscription,
  type PushSubscriptions,
  subscriptionSecret,
} from '../accounts/push-subscriptions.ts';
import { doubledMs, jitteredMs } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { PostOutbound } from '../webhooks/outbound-call.ts';
import { isPassingStatus, retryAfterMsOf } from '../webhooks/retry-after.ts';
import { type PushContent, pushRequest } from './push-message.ts';

/** One notification for one browser. */
export interface Push {
  readonly orgUuid: Ruuid;
  readonly subscriptionUuid: Ruuid;
  /** Read just before each attempt, because rights can change and alerts be acknowledged; null: there is nothing to tell. */
  readonly content: (subscription: PushSubscription) => Promise<PushContent | null>;
}

export interface PushSenderOptions {
  readonly subscriptions: Pick<PushSubscriptions, 'find' | 'keys' | 'removeGone'>;
  readonly post: PostOutbound;
  readonly clock: Clock;
  readonly log: Log;
  /** Who sends, for operators of push services: the address of the console. */
  readonly subject: string;
  /** A number from 0 to below 1; random by default. */
  readonly random?: () => number;
}

export const MAX_PUSH_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const GONE: ReadonlySet<number> = new Set([404, 410]);

interface WaitingPush {
  readonly push: Push;
  attempts: number;
  /** null: it waits for its turn. */
  timer: TimerHandle | null;
}

export class PushSender {
  readonly #options: PushSenderOptions;
  readonly #random: () => number;
  readonly #places = new Pool(LIMITS.pushCalls);
  readonly #waiting = new FairMap<WaitingPush, typeof LIMITS.waitingPushes>(LIMITS.waitingPushes, {
    onDropped: (_key, { timer, push }) => {
      timer?.cancel();
      this.#options.log.warn({ orgUuid: push.orgUuid }, 'notification dropped');
    },
  });
  readonly #stop = new AbortController();
  readonly #idleWaiters: (() => void)[] = [];

  constructor(options: PushSenderOptions) {
    this.#options = options;
    this.#random = options.random ?? (() => randomInt(2 ** 32) / 2 ** 32);
  }

  send(push: Push): void {
    if (this.#stop.signal.aborted) return;
    this.#wait({ push, attempts: 0, timer: null }, null);
  }

  /** Resolves when none runs or waits for its turn; pauses between attempts do not count. */
  async idle(): Promise<void> {
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Ends calls in progress; the others are not sent. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const [key, { timer }] of this.#waiting) {
      timer?.cancel();
      this.#waiting.delete(key);
    }
    await this.idle();
  }

  /** `pauseMs` null: now. */
  #wait(waiting: WaitingPush, pauseMs: number | null): void {
    const { orgUuid: organization } = waiting.push;
    const key = newRuuid();
    this.#waiting.set(key, { organization }, waiting);
    if (pauseMs !== null) {
      waiting.timer = this.#options.clock.after(pauseMs, () => {
        waiting.timer = null;
        this.#startWaiting();
      });
    }
    this.#startWaiting();
  }

  #startWaiting(): void {
    if (this.#stop.signal.aborted) return;
    for (const [key, waiting] of this.#waiting) {
      if (waiting.timer !== null) continue;
      const place = this.#places.take({ organization: waiting.push.orgUuid });
      if (!place.isTaken) {
        if (place.level === 'all') return;
        continue;
      }
      this.#waiting.delete(key);
      void this.#run(waiting, place.giveBack);
    }
  }

  async #run(waiting: WaitingPush, giveBack: () => void): Promise<void> {
    const { orgUuid } = waiting.push;
    let pauseMs: number | null = null;
    try {
      pauseMs = await this.#tryOnce(waiting);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === 'unavailable' || error.kind === 'timeout') pauseMs = this.#pauseMs(waiting, null);
      this.#options.log.warn(
        { code: error.code, orgUuid, attempt: waiting.attempts },
        'notification not sent',
      );
    }
    giveBack();
    if (pauseMs !== null && !this.#stop.signal.aborted) this.#wait(waiting, pauseMs);
    this.#startWaiting();
    if (this.#isIdle()) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Resolves with the pause until the next attempt; null: it is done. */
  async #tryOnce(waiting: WaitingPush): Promise<number | null> {
    const { subscriptions, post, subject, log } = this.#options;
    const { orgUuid, subscriptionUuid, content: read } = waiting.push;
    waiting.attempts += 1;
    const subscription = await subscriptions.find(orgUuid, subscriptionUuid);
    const given = subscription === null ? null : subscriptionSecret(subscription);
    if (subscription === null || given === null) return null;
    const content = await read(subscription);
    if (content === null) return null;
    const request = await pushRequest(given, await subscriptions.keys(orgUuid), subject, content);
    const response = await post({ ...request, signal: this.#stop.signal });
    const { status } = response;
    log.debug({ orgUuid, host: subscription.name, status, attempt: waiting.attempts }, 'notification sent');
    if (status >= 200 && status < 300) return null;
    if (GONE.has(status)) {
      await subscriptions.removeGone(orgUuid, subscriptionUuid);
      return null;
    }
    if (isPassingStatus(status)) return this.#pauseMs(waiting, response.retryAfter);
    log.warn({ orgUuid, host: subscription.name, status }, 'notification refused');
    return null;
  }

  #pauseMs({ attempts }: WaitingPush, retryAfter: string | null): number | null {
    if (attempts >= MAX_PUSH_ATTEMPTS) return null;
    const { clock } = this.#options;
    const pauseMs = doubledMs({ firstMs: FIRST_PAUSE_MS, lastMs: LONGEST_PAUSE_MS }, 2 * attempts - 1);
    const requestedMs = Math.min(retryAfterMsOf(retryAfter, clock.epochMs()) ?? 0, LONGEST_PAUSE_MS);
    return Math.ceil(Math.max(jitteredMs(pauseMs, this.#random), requestedMs));
  }

  #isIdle(): boolean {
    if (this.#places.used > 0) return false;
    for (const [, { timer }] of this.#waiting) if (timer === null) return false;
    return true;
  }
}
