/** POST /api/rapidsos/getNearbyFeeds: the shared streams for emergency services nearest to a place. */

import { Type } from 'typebox';
import { double, int32, listOf, plainText } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CREATED_SHARE } from '../types/examples.ts';

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
  async handler({ orgUuid, services }, { latitude, longitude }) {
    const feeds = await services.nearbyFeeds.near(orgUuid, { latitude, longitude });
    return { streamUrls: feeds.map((share) => services.shares.urls(share).m3u8Url) };
  },
});
