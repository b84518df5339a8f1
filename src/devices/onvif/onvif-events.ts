/**
 * The activity of one camera, as long as this runs: a pull-point subscription (ONVIF Core §9.1) that is renewed, made again when the camera
 * forgot it, and ended at the end. An attempt is never repaired: after any failure, it starts over with a growing pause.
 */

import { Backoff } from '../../core/backoff.ts';
import { pause } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { type ActivityChange, activityOf } from '../../onvif/activity.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';
import {
  createPullPoint,
  pullMessages,
  readNotifications,
  readSubscription,
  renewSubscription,
  UNSUBSCRIBE,
} from '../../onvif/event-messages.ts';
import type { XmlElement } from '../../onvif/xml-element.ts';
import { isPassedOver, OnvifClient, type OnvifClientOptions, type OnvifEndpoint } from './onvif-client.ts';

/** Renewed at half of it: renewing often makes some cameras restart (home-assistant/core#91661). */
const LIFETIME_SEC = 600;
const PULL_TIMEOUT_SEC = 30;
/** The time for any other request, and for a pull beyond its own. */
const REQUEST_TIMEOUT_MS = 10_000;
const UNSUBSCRIBE_TIMEOUT_MS = 2_000;
/** Pulls follow each other no faster, whatever the camera does; a camera without notifications gets more time. */
const BUSY_PAUSE_MS = 500;
const IDLE_PAUSE_MS = 1_000;

const RETRY_MIN_MS = 5_000;
const RETRY_MAX_MS = 300_000;
/** Cameras lock accounts after some refused logins, often for half an hour. */
const REFUSED_RETRY_MS = 300_000;

export interface OnvifEventsOptions extends OnvifClientOptions {
  readonly service: URL;
  /** In [0, 1): the jitter of pauses. */
  readonly random: () => number;
  readonly onActivity: (change: ActivityChange) => void;
  /** Notifications come from now on. `clockOffsetMs`: as in OnvifClient, read again with each renewal. */
  readonly onSubscribed: (clockOffsetMs: number | null) => void;
  /** They do not, until the next subscription. */
  readonly onLost: (error: GatewayError, retryMs: number) => void;
  /** Default: 600. */
  readonly lifetimeSec?: number;
}

export class OnvifEvents {
  readonly #options: OnvifEventsOptions;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  readonly #backoff: Backoff;

  constructor(options: OnvifEventsOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ firstMs: RETRY_MIN_MS, lastMs: RETRY_MAX_MS, random: options.random });
    this.#ended = this.#run();
  }

  /** Resolves when the camera was notified, or does not answer. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { onLost } = this.#options;
    while (!this.#isClosing()) {
      try {
        await this.#subscription();
      } catch (thrown) {
        if (this.#isClosing()) return;
        const error = toGatewayError(thrown);
        const retryMs = this.#retryMs(error);
        onLost(error, retryMs);
        await this.#pause(retryMs);
      }
    }
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Resolves when a subscription is over that the camera does not renew. */
  async #subscription(): Promise<void> {
    const client = new OnvifClient(this.#options.service, this.#options);
    await this.#within(REQUEST_TIMEOUT_MS, (signal) => client.readClock(signal));
    const { events } = await this.#within(REQUEST_TIMEOUT_MS, (signal) => client.services(signal));
    if (events === null) throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_SUPPORTED, { service: 'events' });
    const lifetimeSec = this.#options.lifetimeSec ?? LIFETIME_SEC;
    const created = await this.#created(client, events, lifetimeSec);
    const reference = readSubscription(created);
    const endpoint = reference === null ? null : client.endpointAt(reference);
    if (endpoint === null)
      throw new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason: 'no subscription' });
    try {
      await this.#pullAll(client, endpoint, lifetimeSec);
    } finally {
      await this.#unsubscribe(client, endpoint);
    }
  }

  /** Continues for a moment when this is closed: the camera would keep a subscription that nothing can end. */
  async #created(client: OnvifClient, events: URL, lifetimeSec: number): Promise<XmlElement> {
    const { clock } = this.#options;
    this.#closing.signal.throwIfAborted();
    const deadline = new AbortController();
    const end = () => deadline.abort();
    const timers = [clock.after(REQUEST_TIMEOUT_MS, end)];
    const onClosing = () => void timers.push(clock.after(UNSUBSCRIBE_TIMEOUT_MS, end));
    this.#closing.signal.addEventListener('abort', onClosing, { once: true });
    try {
      return await client.ask(createPullPoint(lifetimeSec), deadline.signal, events);
    } finally {
      this.#closing.signal.removeEventListener('abort', onClosing);
      for (const timer of timers) timer.cancel();
    }
  }

  async #pullAll(client: OnvifClient, endpoint: OnvifEndpoint, lifetimeSec: number): Promise<void> {
    const { clock, onSubscribed } = this.#options;
    const halfMs = (lifetimeSec * 1_000) / 2;
    let renewAtMonoMs = clock.monoMs() + halfMs;
    let isKnown = false;
    while (!this.#isClosing()) {
      if (clock.monoMs() >= renewAtMonoMs) {
        if (!(await this.#renew(client, endpoint, lifetimeSec))) return;
        renewAtMonoMs = clock.monoMs() + halfMs;
        onSubscribed(client.clockOffsetMs);
      }
      const sentMonoMs = clock.monoMs();
      const leftSec = Math.max(1, Math.ceil((renewAtMonoMs - sentMonoMs) / 1_000));
      const timeoutSec = Math.min(PULL_TIMEOUT_SEC, leftSec);
      const pulled = await this.#within(timeoutSec * 1_000 + REQUEST_TIMEOUT_MS, (signal) =>
        client.ask(pullMessages(timeoutSec), signal, endpoint),
      );
      // Some cameras accept a subscription and then know nothing of it: only a pull proves that it works.
      if (!isKnown) onSubscribed(client.clockOffsetMs);
      isKnown = true;
      this.#backoff.reset();
      const count = this.#handOn(pulled);
      const pauseMs = (count > 0 ? BUSY_PAUSE_MS : IDLE_PAUSE_MS) - (clock.monoMs() - sentMonoMs);
      if (pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  #handOn(pulled: XmlElement): number {
    const notifications = readNotifications(pulled);
    for (const notification of notifications) {
      const change = activityOf(notification);
      if (change !== null && !this.#isClosing()) this.#options.onActivity(change);
    }
    return notifications.length;
  }

  /** false: the camera does not know how; a new subscription takes over. */
  async #renew(client: OnvifClient, endpoint: OnvifEndpoint, lifetimeSec: number): Promise<boolean> {
    await this.#within(REQUEST_TIMEOUT_MS, (signal) => client.readClock(signal));
    try {
      await this.#within(REQUEST_TIMEOUT_MS, (signal) =>
        client.ask(renewSubscription(lifetimeSec), signal, endpoint),
      );
      return true;
    } catch (thrown) {
      if (isPassedOver(thrown)) return false;
      throw thrown;
    }
  }

  /** Cameras have few subscriptions. A camera that does not answer ends the subscription when it expires. */
  async #unsubscribe(client: OnvifClient, endpoint: OnvifEndpoint): Promise<void> {
    const unsubscribe = (signal: AbortSignal) => client.ask(UNSUBSCRIBE, signal, endpoint);
    await withDeadline(this.#options.clock, UNSUBSCRIBE_TIMEOUT_MS, unsubscribe).catch(() => undefined);
  }

  #within<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#options.clock, timeoutMs, work, this.#closing.signal);
  }

  #pause(pauseMs: number): Promise<void> {
    return pause(this.#options.clock, pauseMs, this.#closing.signal);
  }

  #retryMs({ code }: GatewayError): number {
    const pauseMs = Math.round(this.#backoff.failed());
    return code === ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED.code ? REFUSED_RETRY_MS : pauseMs;
  }
}
