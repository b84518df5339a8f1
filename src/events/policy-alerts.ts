/** Policy alerts: events that a device or an integration reported as an alert. Stored as events of kind `policyAlert`. */

import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { EventQuery, EventRepository, StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import { cameraLocations } from './camera-locations.ts';
import { EVENT_ERRORS } from './errors.ts';

/** Where something is stored, as in reports. */
export interface MetaDataLocation {
  readonly region?: string;
}

/** The fields of an alert that rules read. A report can contain many more, which are stored as sent. The event's id is its UUID. */
export interface PolicyAlertBody {
  readonly locationUuid?: Ruuid;
  /** A door or another component. */
  readonly componentUuid?: Ruuid;
  readonly textDescription?: string;
  readonly policyAlertTriggers?: readonly string[];
  /** The level of ANSI/TMA-AVS-01: 0, no emergency, to 4, a threat to life. Absent: not known. */
  readonly alarmValidationLevel?: number;
  /** Alarm monitoring deals with it. */
  readonly alertMonitoringThreatCaseUuid?: Ruuid;
  readonly durationSec?: number;
  readonly clipLocation?: MetaDataLocation;
  readonly clipLocationMap?: Readonly<Record<string, MetaDataLocation>>;
  readonly thumbnailLocation?: MetaDataLocation;
  readonly thumbnailLocationV2?: string;
  readonly boundingBoxes?: readonly object[];
  readonly seekPoints?: readonly object[];
  /** Whether it has a saved clip. */
  readonly saved?: boolean;
}

export interface ReportedAlert extends PolicyAlertBody {
  readonly uuid: Ruuid;
  readonly deviceUuid: Ruuid;
  readonly timestampMs: number;
}

/** The moment of an alert; null: the alert does not say. */
export interface AlertMoment {
  readonly atMs: number;
  readonly activity: string | null;
  readonly description: string | null;
}

/** `componentUuids`: only alerts of these components, or of the devices of `deviceUuids`. */
export interface AlertQuery extends Omit<EventQuery, 'kind' | 'order' | 'deviceUuid'> {
  readonly componentUuids?: readonly Ruuid[];
}

/** By repository: several parts of the gateway change an alert, and must not undo each other's changes. */
const LOCKS = new WeakMap<EventRepository, KeyedLock>();

/** How many alerts one read returns, and how many are read for one page: the database cannot search by component. */
const CHUNK_ALERTS = 500;
const MAX_ALERTS_SEARCHED = 20_000;

export class PolicyAlerts {
  readonly #store: Pick<Store, 'events' | 'cameras'>;

  constructor(store: Pick<Store, 'events' | 'cameras'>) {
    this.#store = store;
  }

  /** At most 1,000; one without a location gets its camera's location. Resolves with how many were new. */
  async report(orgUuid: Ruuid, reported: readonly ReportedAlert[], reporterUuid?: Ruuid): Promise<number> {
    const reporter = reporterUuid === undefined ? {} : { reporterUuid };
    const ofCameras = await cameraLocations(this.#store, orgUuid);
    const events = reported.map(({ uuid, deviceUuid, timestampMs, ...given }): StoredEvent => {
      const locationUuid = given.locationUuid ?? ofCameras.get(deviceUuid) ?? null;
      const place = locationUuid === null ? {} : { locationUuid };
      const body = { ...given, ...place };
      return {
        orgUuid,
        kind: 'policyAlert',
        id: uuid,
        deviceUuid,
        atMs: timestampMs,
        ...place,
        body,
        ...reporter,
      };
    });
    return this.#store.events.add(events);
  }

  /** Newest first. Fails POLICY_ALERT_SEARCH_TOO_LONG. */
  async page(orgUuid: Ruuid, { componentUuids, ...query }: AlertQuery): Promise<StoredEvent[]> {
    const read = (part: Omit<AlertQuery, 'componentUuids'>) =>
      this.#store.events.page(orgUuid, { ...part, kind: 'policyAlert', order: 'newest-first' });
    if (componentUuids === undefined) return read(query);
    const { deviceUuids, limit, ...rest } = query;
    const components = new Set<Ruuid | undefined>(componentUuids);
    const devices = new Set(deviceUuids);
    const found: StoredEvent[] = [];
    let after = query.after;
    for (let readCount = 0; readCount < MAX_ALERTS_SEARCHED; readCount += CHUNK_ALERTS) {
      const chunk = await read({ ...rest, after, limit: CHUNK_ALERTS });
      for (const alert of chunk) {
        const { componentUuid } = alert.body as PolicyAlertBody;
        if (devices.has(alert.deviceUuid) || components.has(componentUuid)) found.push(alert);
        if (found.length === limit) return found;
      }
      if (chunk.length < CHUNK_ALERTS) return found;
      after = chunk.at(-1)!;
    }
    // A short page would look like the last one.
    throw new GatewayError(EVENT_ERRORS.POLICY_ALERT_SEARCH_TOO_LONG);
  }

  /**
   * The triggers of the device's alerts with the times of the alerts, oldest first. Fails POLICY_ALERT_SEARCH_TOO_LONG.
   */
  async moments(orgUuid: Ruuid, deviceUuid: Ruuid, fromMs: number, toMs: number): Promise<AlertMoment[]> {
    const moments: AlertMoment[] = [];
    let after: StoredEvent | null = null;
    for (let readCount = 0; readCount < MAX_ALERTS_SEARCHED; readCount += CHUNK_ALERTS) {
      const page: StoredEvent[] = await this.#store.events.page(orgUuid, {
        kind: 'policyAlert',
        deviceUuid,
        fromMs,
        toMs,
        order: 'oldest-first',
        after,
        limit: CHUNK_ALERTS,
      });
      for (const { atMs, body } of page) {
        const { policyAlertTriggers: triggers = [], textDescription = null } = body as PolicyAlertBody;
        const activities = triggers.length === 0 ? [null] : triggers;
        for (const activity of activities) moments.push({ atMs, activity, description: textDescription });
      }
      if (page.length < CHUNK_ALERTS) return moments;
      after = page.at(-1)!;
    }
    throw new GatewayError(EVENT_ERRORS.POLICY_ALERT_SEARCH_TOO_LONG);
  }

  /** Fails POLICY_ALERT_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<StoredEvent> {
    const alert = await this.#store.events.find(orgUuid, 'policyAlert', uuid);
    if (alert === null) throw new GatewayError(EVENT_ERRORS.POLICY_ALERT_NOT_FOUND, { alert: uuid });
    return alert;
  }

  /** Does nothing if the alert was removed: alerts are kept for a time, clips until they are deleted. */
  markSaved(orgUuid: Ruuid, uuid: Ruuid, saved: boolean): Promise<void> {
    return this.amend(orgUuid, uuid, (body) => ({ ...body, saved }));
  }

  /** Changes the stored alert; does nothing if it was removed. Rejects like the store. */
  async amend(
    orgUuid: Ruuid,
    uuid: Ruuid,
    change: (body: PolicyAlertBody) => PolicyAlertBody,
  ): Promise<void> {
    const { events } = this.#store;
    const lock = LOCKS.get(events) ?? new KeyedLock();
    LOCKS.set(events, lock);
    await lock.run(`${orgUuid} ${uuid}`, async () => {
      const alert = await events.find(orgUuid, 'policyAlert', uuid);
      if (alert !== null) await events.amend(alert, change(alert.body));
    });
  }
}
