/** POST /api/report/getOccupancyCounts: the highest occupancy of each interval, as getOccupancyCountsV2 answers it. */

import { defineEndpoint } from '../http/endpoint.ts';
import { OCCUPANCY_COUNTS } from './occupancy-counts.ts';

export const getOccupancyCounts = defineEndpoint({
  path: '/api/report/getOccupancyCounts',
  summary: 'Lists the occupancy that a device saw, by interval, as `getOccupancyCountsV2` does.',
  ...OCCUPANCY_COUNTS,
});
