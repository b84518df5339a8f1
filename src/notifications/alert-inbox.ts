/** What a page of the console needs to know about alerts while it shows something else: how many are open, and which new ones to tell of. */

import type { NotificationSettingsService } from '../accounts/notification-settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import { alertDevice, factsOf } from './alert-facts.ts';
import { isNotified } from './notice-rules.ts';

/** Counting stops there: a badge shows no larger number. */
export const MAX_COUNTED_ALERTS = 1_000;
/** New alerts that are described; the others are only counted. */
const MAX_DESCRIBED = 3;

/** An alert in the words of a notice. */
export interface AlertNotice {
  readonly alert: StoredEvent;
  /** null: the device was removed. */
  readonly deviceName: string | null;
  readonly isCamera: boolean;
  readonly locationName: string | null;
}

export interface AlertInboxState {
  readonly openCount: number;
  /** There are more open alerts than `openCount`. */
  readonly isMore: boolean;
  /** New, open alerts of which the caller's settings notify; the newest first. */
  readonly noticeUuids: readonly Ruuid[];
  /** The newest of these. */
  readonly notices: readonly AlertNotice[];
}

export interface AlertInboxOptions {
  readonly store: Pick<Store, 'events' | 'cameras' | 'nvrs' | 'locations'>;
  readonly settings: Pick<NotificationSettingsService, 'find'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** The settings read only what alerts are about. */
interface PlacedAlert {
  readonly alert: StoredEvent;
  readonly place: { readonly name: string; readonly tz: string } | null;
}

export class AlertInbox {
  readonly #options: AlertInboxOptions;

  constructor(options: AlertInboxOptions) {
    this.#options = options;
  }

  /** `newUuids`: at most 1,000; those that do not exist are left out. */
  async read(orgUuid: Ruuid, userUuid: Ruuid, newUuids: readonly Ruuid[]): Promise<AlertInboxState> {
    const { store } = this.#options;
    const open = { kind: 'policyAlert', isOpen: true, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER } as const;
    const count = await store.events.count(orgUuid, { ...open, limit: MAX_COUNTED_ALERTS + 1 });
    const found = newUuids.length === 0 ? [] : await store.events.findAll(orgUuid, 'policyAlert', newUuids);
    const unseen = found
      .filter(({ acknowledgement }) => acknowledgement === undefined)
      .sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1));
    const wanted = await this.#wanted(orgUuid, userUuid, unseen);
    return {
      openCount: Math.min(count, MAX_COUNTED_ALERTS),
      isMore: count > MAX_COUNTED_ALERTS,
      noticeUuids: wanted.map(({ alert }) => alert.id as Ruuid),
      notices: await Promise.all(
        wanted.slice(0, MAX_DESCRIBED).map(({ alert, place }) => this.#notice(alert, place)),
      ),
    };
  }

  async #wanted(orgUuid: Ruuid, userUuid: Ruuid, alerts: readonly StoredEvent[]): Promise<PlacedAlert[]> {
    if (alerts.length === 0) return [];
    const { store, settings, clock } = this.#options;
    const given = await settings.find(orgUuid, userUuid);
    const atMs = clock.epochMs();
    const places = new Map<Ruuid, PlacedAlert['place']>();
    const wanted: PlacedAlert[] = [];
    for (const alert of alerts) {
      const { locationUuid = null } = alert;
      if (locationUuid !== null && !places.has(locationUuid)) {
        places.set(locationUuid, await store.locations.find(orgUuid, locationUuid));
      }
      const place = locationUuid === null ? null : (places.get(locationUuid) ?? null);
      if (isNotified(given, 'BROWSER', factsOf(alert, place, atMs))) wanted.push({ alert, place });
    }
    return wanted;
  }

  async #notice(alert: StoredEvent, place: PlacedAlert['place']): Promise<AlertNotice> {
    const device = await alertDevice(this.#options.store, alert);
    return {
      alert,
      deviceName: device?.name ?? null,
      isCamera: device?.isCamera ?? false,
      locationName: place?.name ?? null,
    };
  }
}
