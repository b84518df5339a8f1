/** Policy alerts: what a device or an integration found worth telling somebody. Kept as events of kind `policyAlert`. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { EventQuery, StoredEvent } from '../store/event.ts';
import type { Store } from '../store/store.ts';
import { cameraLocations } from './camera-locations.ts';
import { EVENT_ERRORS } from './errors.ts';

/** Where something is kept, as reports have it. */
export interface MetaDataLocation {
  readonly region?: string;
}

/** What rules read of an alert. A report may say much more of it, which is kept as it came. The event's id is its UUID. */
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
  /** There is a saved clip of it. */
  readonly saved?: boolean;
}

export interface ReportedAlert extends PolicyAlertBody {
  readonly uuid: Ruuid;
  readonly deviceUuid: Ruuid;
  readonly timestampMs: number;
}

export class PolicyAlerts {
  readonly #store: Pick<Store, 'events' | 'cameras'>;

  constructor(store: Pick<Store, 'events' | 'cameras'>) {
    this.#store = store;
  }

  /** At most 1,000; one without a location is where its camera is. Resolves with how many were new. */
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

  /** Newest first. */
  page(orgUuid: Ruuid, query: Omit<EventQuery, 'kind' | 'order'>): Promise<StoredEvent[]> {
    return this.#store.events.page(orgUuid, { ...query, kind: 'policyAlert', order: 'newest-first' });
  }

  /** Fails POLICY_ALERT_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<StoredEvent> {
    const alert = await this.#store.events.find(orgUuid, 'policyAlert', uuid);
    if (alert === null) throw new GatewayError(EVENT_ERRORS.POLICY_ALERT_NOT_FOUND, { alert: uuid });
    return alert;
  }

  /** Nothing when the alert is gone: alerts are kept for a time, clips until they are deleted. */
  async markSaved(orgUuid: Ruuid, uuid: Ruuid, saved: boolean): Promise<void> {
    const alert = await this.#store.events.find(orgUuid, 'policyAlert', uuid);
    if (alert === null) return;
    await this.#store.events.amend(orgUuid, 'policyAlert', uuid, { ...alert.body, saved });
  }
}
