/** POST /api/location/getLocationsV2: the organization's locations, like getLocations. */

import { defineEndpoint } from '../../http/endpoint.ts';
import {
  EXAMPLE_LOCATION_LIST,
  LOCATION_LIST_REQUEST,
  LOCATION_LIST_RESPONSE,
  listLocations,
} from './location-list.ts';

export const getLocationsV2 = defineEndpoint({
  path: '/api/location/getLocationsV2',
  summary: 'Lists the locations of the organization.',
  description: 'Like `getLocations`: sorted by name.',
  request: LOCATION_LIST_REQUEST,
  response: LOCATION_LIST_RESPONSE,
  example: EXAMPLE_LOCATION_LIST,
  handler: listLocations,
});
