/**
 * Alerts on every page: how many are open, and notices of new ones. One call reads both, soon after the real-time stream reports a change,
 * and rarely while many come, because every open page makes it.
 */

import { signal } from '@preact/signals';
import { announceAlerts, endSignals } from './alert-signals.ts';
import {
  type AlertNotice,
  AlertStorm,
  MAX_SHOWN,
  NO_TOASTS,
  type Toasts,
  withNotices,
  withoutAlerts,
} from './alert-toasts.ts';
import { announcementOf } from './alert-words.ts';
import { type Answer, CallError, call } from './api.ts';
import { onChange, onLive } from './changes.ts';
import { gatewayNowMs } from './gateway-clock.ts';

export interface OpenAlerts {
  readonly count: number;
  readonly isMore: boolean;
}

/** null: not known yet. */
export const openAlerts = signal<OpenAlerts | null>(null);
/** UUIDs of those that came while the console is open, and that no one has acknowledged. */
export const arrivedAlerts = signal<ReadonlySet<string>>(new Set());
export const alertToasts = signal<Toasts>(NO_TOASTS);
/** In words, for screen readers. */
export const alertAnnouncement = signal('');

/** More than one looks at; a console can stay open for weeks. */
const MAX_ARRIVED = 500;
/** One call takes no more. */
const MAX_PER_CALL = 500;
const MAX_PENDING = 2_000;
const GATHER_MS = 300;
/** Between calls, and while many alerts come. */
const PAUSE_MS = 1_000;
const STORM_PAUSE_MS = 5_000;
const STORM_SIZE = 20;
/** A screen reader needs time for one. */
const WORDS_PAUSE_MS = 10_000;

/** Watches until the returned function is called: when the person signs out. */
export function watchAlerts(): () => void {
  const watch = new Watch();
  return () => watch.end();
}

/** These were acknowledged or closed: nothing more is said of them. */
export function forgetAlerts(uuids: Iterable<string>): void {
  alertToasts.value = withoutAlerts(alertToasts.value, new Set(uuids));
}

class Watch {
  readonly #storm = new AlertStorm();
  readonly #words = new Words();
  readonly #ends: readonly (() => void)[];
  #pending: string[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #running: AbortController | null = null;
  #isOutdated = false;
  #pauseMs = GATHER_MS;

  constructor() {
    this.#ends = [
      onLive(() => this.#soon()),
      onChange(({ entity, type, entityUuid }) => {
        if (entity === 'POLICY_ALERT' && type === 'CREATE') this.#arrived(entityUuid);
        else if (entity === 'ALERT_ACKNOWLEDGEMENT') this.#handled(entityUuid, type !== 'DELETE');
      }),
    ];
    this.#soon();
  }

  end(): void {
    for (const end of this.#ends) end();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#running?.abort();
    this.#words.end();
    openAlerts.value = null;
    arrivedAlerts.value = new Set();
    alertToasts.value = NO_TOASTS;
  }

  #arrived(uuid: string): void {
    arrivedAlerts.value = new Set([...arrivedAlerts.value, uuid].slice(-MAX_ARRIVED));
    this.#pending = [...this.#pending, uuid].slice(-MAX_PENDING);
    this.#soon();
  }

  #handled(uuid: string, isAcknowledged: boolean): void {
    if (isAcknowledged) {
      forgetAlerts([uuid]);
      if (arrivedAlerts.value.has(uuid)) {
        const left = new Set([...arrivedAlerts.value].filter((each) => each !== uuid));
        arrivedAlerts.value = left;
        if (left.size === 0) endSignals();
      }
    }
    this.#soon();
  }

  #soon(): void {
    if (this.#running !== null) this.#isOutdated = true;
    else this.#timer ??= setTimeout(() => void this.#read(), this.#pauseMs);
  }

  async #read(): Promise<void> {
    this.#timer = null;
    this.#isOutdated = false;
    const running = new AbortController();
    this.#running = running;
    // The newest first, so that a call that fails forever keeps no one from them.
    const chosen = this.#pending.slice(-MAX_PER_CALL);
    this.#pauseMs = PAUSE_MS;
    try {
      const inbox = await call('event/getAlertInbox', { newAlertUuids: chosen }, running.signal);
      const done = new Set(chosen);
      this.#pending = this.#pending.filter((uuid) => !done.has(uuid));
      if (chosen.length >= STORM_SIZE) this.#pauseMs = STORM_PAUSE_MS;
      this.#show(inbox);
    } catch (thrown) {
      if (running.signal.aborted) return;
      if (!(thrown instanceof CallError)) throw thrown;
      // The list says when it is not current; the badge keeps its number.
      this.#pauseMs = Math.max((thrown.retryAfterSec ?? 0) * 1_000, STORM_PAUSE_MS);
      this.#isOutdated ||= !thrown.isSignedOut;
    }
    this.#running = null;
    if (this.#isOutdated || this.#pending.length > 0) this.#soon();
  }

  #show({ openCount, isMore, noticeUuids, notices }: Answer<'event/getAlertInbox'>): void {
    openAlerts.value = { count: openCount, isMore };
    const newest = notices[0];
    if (newest === undefined) return;
    alertToasts.value = withNotices(alertToasts.value, noticeUuids, notices);
    announceAlerts({
      isStorm: this.#storm.note(noticeUuids.length, gatewayNowMs()),
      beginsStorm: noticeUuids.length > MAX_SHOWN,
    });
    this.#words.say(noticeUuids.length, newest);
  }
}

/** Announces new alerts, those of a storm together. */
class Words {
  #count = 0;
  #newest: AlertNotice | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  say(count: number, newest: AlertNotice): void {
    this.#count += count;
    this.#newest = newest;
    if (this.#timer === null) this.#sayNow();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    alertAnnouncement.value = '';
  }

  #sayNow(): void {
    alertAnnouncement.value = announcementOf(this.#count, this.#newest!);
    this.#count = 0;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#count > 0) this.#sayNow();
    }, WORDS_PAUSE_MS);
  }
}
