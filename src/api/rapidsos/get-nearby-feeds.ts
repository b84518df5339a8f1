/** POST /api/rapidsos/getNearbyFeeds: the shared streams for emergency services nearest to a place. */

import { Type } from 'typebox';
import { type GeoPoint, greatCircleM } from '../../core/great-circle.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Share } from '../../store/entities.ts';
import { type CallContext, defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_CREATED_SHARE } from '../base/examples.ts';
import { double, int32, listOf, plainText } from '../base/field-types.ts';

const MAX_FEEDS = 10;

export const getNearbyFeeds = defineEndpoint({
  path: '/api/rapidsos/getNearbyFeeds',
  summary: 'Finds the shared streams for emergency services nearest to a place.',
  description:
    'The ten nearest cameras that have a share of stream type `RAPIDSOS` which has not expired, the nearest first, by ' +
    'great-circle distance; of each the newest such share. A camera is where its details say, else where its location ' +
    'is; one without coordinates is left out.',
  request: Type.Object({
    latitude: double('Degrees north.', -90, 90),
    longitude: double('Degrees east.', -180, 180),
    width: Type.Optional(
      int32('Accepted: width of the wanted picture; the streams come as the cameras send them.', 0),
    ),
  }),
  response: { streamUrls: listOf(plainText('Playlist (HLS).'), 'The streams.') },
  example: {
    request: { latitude: 40.7, longitude: -74 },
    response: { streamUrls: [EXAMPLE_CREATED_SHARE.sharedLiveM3U8StreamUrl] },
  },
  async handler(context, { latitude, longitude }) {
    const wanted = { latitude, longitude };
    const places = await cameraPlaces(context);
    const near: { share: Share; distanceM: number }[] = [];
    for (const share of await newestFeeds(context)) {
      const place = places.get(share.cameraUuid);
      if (place !== undefined) near.push({ share, distanceM: greatCircleM(wanted, place) });
    }
    near.sort((a, b) => a.distanceM - b.distanceM);
    return {
      streamUrls: near.slice(0, MAX_FEEDS).map(({ share }) => context.services.shares.urls(share).m3u8Url),
    };
  },
});

/** One share per camera. */
async function newestFeeds({ orgUuid, services }: CallContext): Promise<Share[]> {
  const nowMs = services.clock.epochMs();
  const byCamera = new Map<Ruuid, Share>();
  for (const share of await services.store.shares.list(orgUuid)) {
    const hasExpired = share.expiresAtSec !== null && share.expiresAtSec * 1_000 <= nowMs;
    // In the order of creation: the last one stays.
    if (share.streamType === 'RAPIDSOS' && !hasExpired) byCamera.set(share.cameraUuid, share);
  }
  return [...byCamera.values()];
}

async function cameraPlaces({ orgUuid, services }: CallContext): Promise<ReadonlyMap<Ruuid, GeoPoint>> {
  const details = await services.devices.detailsByDevice(orgUuid);
  const locations = new Map((await services.store.locations.list(orgUuid)).map((each) => [each.uuid, each]));
  const places = new Map<Ruuid, GeoPoint>();
  for (const camera of await services.store.cameras.listRecords(orgUuid)) {
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
