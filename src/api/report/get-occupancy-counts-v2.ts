/** POST /api/report/getOccupancyCountsV2: the highest occupancy of each interval. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { OCCUPANCY_COUNTS } from './occupancy-counts.ts';

export const getOccupancyCountsV2 = defineEndpoint({
  path: '/api/report/getOccupancyCountsV2',
  summary: 'Lists the occupancy at a device, by interval.',
  ...OCCUPANCY_COUNTS,
});
