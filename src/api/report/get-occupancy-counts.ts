/** POST /api/report/getOccupancyCounts: the highest occupancy of each interval, like getOccupancyCountsV2. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { OCCUPANCY_COUNTS } from './occupancy-counts.ts';

export const getOccupancyCounts = defineEndpoint({
  path: '/api/report/getOccupancyCounts',
  summary: 'Lists the occupancy at a device, by interval, like `getOccupancyCountsV2`.',
  ...OCCUPANCY_COUNTS,
});
