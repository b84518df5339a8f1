/** Pauses of alerts: when, and for what, no policy alerts are raised. */

import type { Ruuid } from '../core/ruuid.ts';
import { cameraPausesOf } from '../events/camera-pauses.ts';
import { DOORS, type DoorBody } from '../platform/access-control/door.ts';
import { LANDINGS } from '../platform/access-control/landing.ts';
import { resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';

export interface AlertPolicyPauseBody {
  readonly componentCompositeUuids: readonly Ruuid[];
  readonly deviceUuids: readonly Ruuid[];
  readonly locationUuids: readonly Ruuid[];
  /** Half-open, epoch milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
}

export const ALERT_POLICY_PAUSES = resourceKind<AlertPolicyPauseBody>('alertPolicyPause');

/** The subject and the time of an alert. */
export interface PausableAlert {
  readonly componentUuid: Ruuid | null;
  readonly deviceUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  readonly timestampMs: number;
}

/** Whether an alert is paused. */
export type IsPaused = (alert: PausableAlert) => boolean;

/**
 * The organization's pauses, as a query, with those of single cameras. A pause of a door or a landing covers its readers, relays and
 * sensors. A pause of a location covers the devices that are known to be there, even if an alert does not name its location.
 */
export async function pausesOf(
  store: Pick<Store, 'cameras' | 'nvrs' | 'resources'>,
  orgUuid: Ruuid,
): Promise<IsPaused> {
  const pauses = await store.resources.of(ALERT_POLICY_PAUSES).list(orgUuid);
  const isCameraPaused = await cameraPausesOf(store, orgUuid);
  if (pauses.length === 0) return ({ deviceUuid, timestampMs }) => isCameraPaused(deviceUuid, timestampMs);
  const places = await knownPlaces(store, orgUuid);
  return ({ componentUuid, deviceUuid, locationUuid, timestampMs }) => {
    if (isCameraPaused(deviceUuid, timestampMs)) return true;
    const subjects = componentUuid === null ? [deviceUuid] : [componentUuid, deviceUuid];
    const composites = subjects.flatMap((uuid) => [uuid, ...(places.compositeByPart.get(uuid) ?? [])]);
    const located = [...composites, deviceUuid].map((uuid) => places.locationOf.get(uuid));
    const location = locationUuid ?? located.find((uuid) => uuid != null) ?? null;
    return pauses.some(
      ({ body }) =>
        timestampMs >= body.fromMs &&
        timestampMs < body.toMs &&
        (body.deviceUuids.includes(deviceUuid) ||
          composites.some((uuid) => body.componentCompositeUuids.includes(uuid)) ||
          (location !== null && body.locationUuids.includes(location))),
    );
  };
}

interface KnownPlaces {
  /** The doors that a reader, a relay or a sensor is part of. */
  readonly compositeByPart: ReadonlyMap<Ruuid, readonly Ruuid[]>;
  readonly locationOf: ReadonlyMap<Ruuid, Ruuid | null>;
}

async function knownPlaces(
  store: Pick<Store, 'cameras' | 'nvrs' | 'resources'>,
  orgUuid: Ruuid,
): Promise<KnownPlaces> {
  const locationOf = new Map<Ruuid, Ruuid | null>();
  const compositeByPart = new Map<Ruuid, Ruuid[]>();
  for (const { uuid, parentUuid, body } of await store.resources.of(LANDINGS).list(orgUuid)) {
    locationOf.set(body.ownerDeviceUuid, parentUuid).set(uuid, parentUuid);
  }
  for (const { uuid, parentUuid, body } of await store.resources.of(DOORS).list(orgUuid)) {
    if (parentUuid !== null) locationOf.set(parentUuid, body.locationUuid);
    locationOf.set(uuid, body.locationUuid);
    for (const part of partsOf(body)) {
      const composites = compositeByPart.get(part);
      if (composites === undefined) compositeByPart.set(part, [uuid]);
      else composites.push(uuid);
    }
  }
  for (const { uuid, locationUuid } of await store.nvrs.list(orgUuid)) locationOf.set(uuid, locationUuid);
  for (const { uuid, locationUuid } of await store.cameras.list(orgUuid)) locationOf.set(uuid, locationUuid);
  return { compositeByPart, locationOf };
}

/** The readers, relays and sensors of a door. */
export function partsOf(door: DoorBody): Ruuid[] {
  const lists = [door.dpiComponents, door.readerComponents, door.relayComponents, door.rexComponents];
  return lists.flatMap((list = []) => list.map(({ componentUuid }) => componentUuid));
}
