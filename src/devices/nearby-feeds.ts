/** The shared streams for emergency services nearest to a point. */

import { type GeoPoint, greatCircleM } from '../core/great-circle.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { DeviceService } from './device-service.ts';

const MAX_FEEDS = 10;

/** A share, also one that is not stored. */
export type Feed = Pick<Share, 'uuid' | 'cameraUuid'>;

/** Which shares a caller can play that has nothing but their link. Declared here: sharing implements it. */
export interface OpenShares {
  openToAll(orgUuid: Ruuid, shares: readonly Share[]): Promise<Share[]>;
}

export interface NearbyFeedsOptions {
  readonly store: Pick<Store, 'shares' | 'cameras' | 'locations'>;
  readonly devices: Pick<DeviceService, 'detailsByDevice'>;
  readonly shares: OpenShares;
}

export class NearbyFeeds {
  readonly #options: NearbyFeedsOptions;

  constructor(options: NearbyFeedsOptions) {
    this.#options = options;
  }

  /**
   * The newest share for emergency services of each of the ten nearest cameras, the nearest first: of those that play now
   * with nothing but their URL, neither expired nor hidden nor protected. A camera's position comes from its details,
   * otherwise from its location. Cameras without coordinates are left out. `opened`: feeds that take the place of others of the same camera.
   */
  async near(orgUuid: Ruuid, wanted: GeoPoint, opened: readonly Feed[] = []): Promise<Feed[]> {
    const places = await this.#cameraPlaces(orgUuid);
    const near: { share: Feed; distanceM: number }[] = [];
    const feeds = new Map<Ruuid, Feed>(await this.#newestFeeds(orgUuid));
    for (const feed of opened) feeds.set(feed.cameraUuid, feed);
    for (const share of feeds.values()) {
      const place = places.get(share.cameraUuid);
      if (place !== undefined) near.push({ share, distanceM: greatCircleM(wanted, place) });
    }
    near.sort((a, b) => a.distanceM - b.distanceM);
    return near.slice(0, MAX_FEEDS).map(({ share }) => share);
  }

  /** One share per camera. */
  async #newestFeeds(orgUuid: Ruuid): Promise<ReadonlyMap<Ruuid, Share>> {
    const { store, shares } = this.#options;
    const wanted = (await store.shares.list(orgUuid)).filter(({ streamType }) => streamType === 'RAPIDSOS');
    const byCamera = new Map<Ruuid, Share>();
    // In creation order: the last one stays.
    for (const share of await shares.openToAll(orgUuid, wanted)) byCamera.set(share.cameraUuid, share);
    return byCamera;
  }

  async #cameraPlaces(orgUuid: Ruuid): Promise<ReadonlyMap<Ruuid, GeoPoint>> {
    const { store, devices } = this.#options;
    const details = await devices.detailsByDevice(orgUuid);
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
}

function geoPointOf(
  place: { readonly latitude: number | null; readonly longitude: number | null } | undefined,
): GeoPoint | null {
  if (place === undefined || place.latitude === null || place.longitude === null) return null;
  return { latitude: place.latitude, longitude: place.longitude };
}
