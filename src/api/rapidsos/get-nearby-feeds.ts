/** POST /api/rapidsos/getNearbyFeeds: the shared streams for emergency services nearest to a point. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { double, int32, listOf, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_CREATED_SHARE } from '../types/examples.ts';

export const getNearbyFeeds = defineEndpoint({
  path: '/api/rapidsos/getNearbyFeeds',
  summary: 'Finds the shared streams for emergency services nearest to a point.',
  description:
    'The ten nearest cameras with a share of stream type `RAPIDSOS` that plays now with nothing but its URL, the ' +
    'nearest first, by great-circle distance; for each camera, its newest such share. Shares that have expired, that ' +
    'a schedule hides now, or that have a password are left out. A camera’s position comes from its details, ' +
    'otherwise from its location. Cameras without coordinates are left out.',
  request: Type.Object({
    latitude: double('Degrees north.', -90, 90),
    longitude: double('Degrees east.', -180, 180),
    width: Type.Optional(
      int32(
        'Requested width of the video; accepted, but the streams keep the size that the cameras send.',
        0,
      ),
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
