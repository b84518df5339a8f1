/** The shared streams for emergency services nearest to a point. */

import { type GeoPoint, greatCircleM } from '../core/great-circle.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { KnownDetails } from './device-details.ts';

const MAX_FEEDS = 10;

export interface NearbyFeedsOptions {
  readonly store: Pick<Store, 'shares' | 'cameras' | 'locations'>;
  /** By device. */
  readonly details: ReadonlyMap<Ruuid, KnownDetails>;
  readonly nowMs: number;
}

/**
 * The newest unexpired share for emergency services of each of the ten nearest cameras, the nearest first. A camera's
 * position comes from its details, otherwise from its location. Cameras without coordinates are left out.
 */
export async function nearbyFeeds(
  options: NearbyFeedsOptions,
  orgUuid: Ruuid,
  wanted: GeoPoint,
): Promise<Share[]> {
  const places = await cameraPlaces(options, orgUuid);
  const near: { share: Share; distanceM: number }[] = [];
  for (const share of await newestFeeds(options, orgUuid)) {
    const place = places.get(share.cameraUuid);
    if (place !== undefined) near.push({ share, distanceM: greatCircleM(wanted, place) });
  }
  near.sort((a, b) => a.distanceM - b.distanceM);
  return near.slice(0, MAX_FEEDS).map(({ share }) => share);
}

/** One share per camera. */
async function newestFeeds({ store, nowMs }: NearbyFeedsOptions, orgUuid: Ruuid): Promise<Share[]> {
  const byCamera = new Map<Ruuid, Share>();
  for (const share of await store.shares.list(orgUuid)) {
    const hasExpired = share.expiresAtSec !== null && share.expiresAtSec * 1_000 <= nowMs;
    // In creation order: the last one stays.
    if (share.streamType === 'RAPIDSOS' && !hasExpired) byCamera.set(share.cameraUuid, share);
  }
  return [...byCamera.values()];
}

async function cameraPlaces(
  { store, details }: NearbyFeedsOptions,
  orgUuid: Ruuid,
): Promise<ReadonlyMap<Ruuid, GeoPoint>> {
  const locations = new Map((await store.locations.list(orgUuid)).map((each) => [each.uuid, each]));
  const places = new Map<Ruuid, GeoPoint>();
  for (const camera of await store.cameras.listRecords(orgUuid)) {
    if (camera.mummified) continue;
    const location = camera.locationUuid === null ? undefined : locations.get(camera.locationUuid);
    const place = geoPointOf(details.get(camera.uuid)) ?? geoPointOf(location);
    if (place !== null) places.set(camera.uuid, place);
  }
  return places;
}

function geoPointOf(
  place: { readonly latitude: number | null; readonly longitude: number | null } | undefined,
): GeoPoint | null {
  if (place === undefined || place.latitude === null || place.longitude === null) return null;
  return { latitude: place.latitude, longitude: place.longitude };
}
