/** POST /api/location/getLocations: the organization's locations. */

import { defineEndpoint } from '../../http/endpoint.ts';
import {
  EXAMPLE_LOCATION_LIST,
  LOCATION_LIST_REQUEST,
  LOCATION_LIST_RESPONSE,
  listLocations,
} from './location-list.ts';

export const getLocations = defineEndpoint({
  path: '/api/location/getLocations',
  summary: 'Lists the locations of the organization.',
  description: 'Sorted by name.',
  request: LOCATION_LIST_REQUEST,
  response: LOCATION_LIST_RESPONSE,
  example: EXAMPLE_LOCATION_LIST,
  handler: listLocations,
});
