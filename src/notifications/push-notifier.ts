/**
 * Notifies people of new alerts in their browsers, also while no page is open. At most one notification per person and camera is sent in
 * COALESCED_MS; the next one says how many alerts there were. What a person may see, and wants to be told, is decided when it is sent.
 */

import type { NotificationSettingsService } from '../accounts/notification-settings.ts';
import type { PushSubscription, PushSubscriptions } from '../accounts/push-subscriptions.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { isPassing } from '../events/event-effects.ts';
import type { PolicyAlertBody } from '../events/policy-alerts.ts';
import { actWithin, seeingAll } from '../store/acting-view.ts';
import type { StoredEvent } from '../store/event.ts';
import type { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { alertDevice, factsOf } from './alert-facts.ts';
import { isNotified } from './notice-rules.ts';
import type { PushContent } from './push-message.ts';
import type { Push } from './push-sender.ts';

export interface PushNotifierOptions {
  readonly store: Pick<Store, 'events' | 'people' | 'cameras' | 'nvrs' | 'locations'>;
  readonly views: Pick<ScopeViews, 'viewOf'>;
  readonly subscriptions: Pick<PushSubscriptions, 'ofOrganization' | 'ofPerson'>;
  readonly settings: Pick<NotificationSettingsService, 'find'>;
  readonly sender: { send(push: Push): void };
  readonly clock: Clock;
  readonly log: Log;
}

export const COALESCED_MS = 30_000;
/** Someone who reports the past, such as after an outage, wakes no one. */
const MAX_AGE_MS = 60 * 60_000;

/** A person and a camera of which they were notified lately. */
interface Recent {
  /** The newest alert since then; null: none. */
  newest: Ruuid | null;
  count: number;
  readonly timer: TimerHandle;
}

export class PushNotifier {
  readonly #options: PushNotifierOptions;
  readonly #recent = new FairMap<Recent, typeof LIMITS.recentPushes>(LIMITS.recentPushes, {
    onDropped: (_key, { timer }) => timer.cancel(),
  });
  #isClosed = false;

  constructor(options: PushNotifierOptions) {
    this.#options = options;
  }

  /** An effect of reported events. */
  async onEvents(events: readonly StoredEvent[]): Promise<void> {
    const oldestMs = this.#options.clock.epochMs() - MAX_AGE_MS;
    const alerts = events.filter(({ kind, atMs }) => kind === 'policyAlert' && atMs >= oldestMs);
    for (const [orgUuid, ofOrg] of Map.groupBy(alerts, (alert) => alert.orgUuid)) {
      try {
        const subscriptions = await this.#options.subscriptions.ofOrganization(orgUuid);
        const people = Map.groupBy(subscriptions, ({ parentUuid }) => parentUuid!);
        for (const personUuid of people.keys()) {
          for (const alert of ofOrg) this.#onAlert(personUuid, alert);
        }
      } catch (thrown) {
        if (isPassing(thrown)) throw thrown;
        this.#options.log.error({ err: toGatewayError(thrown), orgUuid }, 'notifications not sent');
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const [key, { timer }] of this.#recent) {
      timer.cancel();
      this.#recent.delete(key);
    }
  }

  #onAlert(personUuid: Ruuid, { orgUuid, deviceUuid, id }: StoredEvent): void {
    const key = `${personUuid} ${deviceUuid}`;
    const recent = this.#recent.get(key);
    if (recent === undefined) this.#notify(orgUuid, personUuid, key, id as Ruuid, 1);
    else {
      recent.newest = id as Ruuid;
      recent.count += 1;
    }
  }

  #notify(orgUuid: Ruuid, personUuid: Ruuid, key: string, alertUuid: Ruuid, count: number): void {
    if (this.#isClosed) return;
    const timer = this.#options.clock.after(COALESCED_MS, () => {
      const recent = this.#recent.get(key);
      this.#recent.delete(key);
      if (recent?.newest != null) this.#notify(orgUuid, personUuid, key, recent.newest, recent.count);
    });
    this.#recent.set(key, { organization: orgUuid }, { newest: null, count: 0, timer });
    void this.#send(orgUuid, personUuid, alertUuid, count).catch((thrown: unknown) => {
      this.#options.log.error({ err: toGatewayError(thrown), orgUuid }, 'notifications not sent');
    });
  }

  /** To each browser that the person has now. */
  async #send(orgUuid: Ruuid, personUuid: Ruuid, alertUuid: Ruuid, count: number): Promise<void> {
    const { subscriptions, sender } = this.#options;
    for (const { uuid } of await subscriptions.ofPerson(orgUuid, personUuid)) {
      sender.send({
        orgUuid,
        subscriptionUuid: uuid,
        content: (subscription) => seeingAll(() => this.#content(subscription, alertUuid, count)),
      });
    }
  }

  /** null: the person may not see the alert, or does not want to be told; or it is acknowledged or gone. */
  async #content(
    { orgUuid, parentUuid }: PushSubscription,
    alertUuid: Ruuid,
    count: number,
  ): Promise<PushContent | null> {
    const { store, views } = this.#options;
    const person = await store.people.find(orgUuid, parentUuid!);
    if (person === null || person.disabled) return null;
    const read = () => this.#seen(orgUuid, person.uuid, alertUuid, count);
    return person.scope === null ? read() : actWithin(await views.viewOf(orgUuid, person.scope), read);
  }

  async #seen(
    orgUuid: Ruuid,
    personUuid: Ruuid,
    alertUuid: Ruuid,
    count: number,
  ): Promise<PushContent | null> {
    const { store, settings, clock } = this.#options;
    const alert = await store.events.find(orgUuid, 'policyAlert', alertUuid);
    if (alert === null || alert.acknowledgement !== undefined) return null;
    const { deviceUuid, locationUuid = null, atMs } = alert;
    const { textDescription = '', policyAlertTriggers = [] } = alert.body as PolicyAlertBody;
    const place = locationUuid === null ? null : await store.locations.find(orgUuid, locationUuid);
    const facts = factsOf(alert, place, clock.epochMs());
    if (!isNotified(await settings.find(orgUuid, personUuid), 'APP', facts)) return null;
    const device = await alertDevice(store, alert);
    return {
      alertUuid,
      title: textDescription || policyAlertTriggers.map(wordsOf).join(', ') || 'Alert',
      text: [device?.name, place?.name].filter((name) => name !== undefined).join(' · '),
      deviceUuid,
      timestampMs: atMs,
      count,
    };
  }
}

/** `MOTION_HUMAN`: `Motion human`. */
function wordsOf(trigger: string): string {
  const words = trigger.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
