/** Policy alerts: what a device or an integration found worth an alert. Stored as events of kind `policyAlert`. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { EventQuery, StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import { cameraLocations } from './camera-locations.ts';
import { EVENT_ERRORS } from './errors.ts';

/** Where something is stored, as in reports. */
export interface MetaDataLocation {
  readonly region?: string;
}

/** What rules read of an alert. A report can say much more, which is stored as sent. The event's id is its UUID. */
export interface PolicyAlertBody {
  readonly locationUuid?: Ruuid;
  /** A door or another component. */
  readonly componentUuid?: Ruuid;
  readonly textDescription?: string;
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

/** `componentUuids`: only alerts of these components, or of the devices of `deviceUuids`. */
export interface AlertQuery extends Omit<EventQuery, 'kind' | 'order' | 'deviceUuid'> {
  readonly componentUuids?: readonly Ruuid[];
}

/** How many alerts are read at once, and in all for one page: the database cannot search by component. */
const CHUNK_ALERTS = 500;
const MAX_ALERTS_SEARCHED = 20_000;

export class PolicyAlerts {
  readonly #store: Pick<Store, 'events' | 'cameras'>;

  constructor(store: Pick<Store, 'events' | 'cameras'>) {
    this.#store = store;
  }

  /** At most 1,000; one without a location gets its camera's location. Resolves with how many were new. */
  async report(orgUuid: Ruuid, reported: readonly ReportedAlert[]): Promise<number> {
    const ofCameras = await cameraLocations(this.#store, orgUuid);
    const events = reported.map(({ uuid, deviceUuid, timestampMs, ...given }): StoredEvent => {
      const locationUuid = given.locationUuid ?? ofCameras.get(deviceUuid) ?? null;
      const place = locationUuid === null ? {} : { locationUuid };
      const body = { ...given, ...place };
      return { orgUuid, kind: 'policyAlert', id: uuid, deviceUuid, atMs: timestampMs, ...place, body };
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

  /** Fails POLICY_ALERT_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<StoredEvent> {
    const alert = await this.#store.events.find(orgUuid, 'policyAlert', uuid);
    if (alert === null) throw new GatewayError(EVENT_ERRORS.POLICY_ALERT_NOT_FOUND, { alert: uuid });
    return alert;
  }

  /** Does nothing if the alert was removed: alerts are kept for a time, clips until they are deleted. */
  async markSaved(orgUuid: Ruuid, uuid: Ruuid, saved: boolean): Promise<void> {
    const alert = await this.#store.events.find(orgUuid, 'policyAlert', uuid);
    if (alert === null) return;
    await this.#store.events.amend(orgUuid, 'policyAlert', uuid, { ...alert.body, saved });
  }
}
