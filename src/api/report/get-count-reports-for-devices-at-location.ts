/** POST /api/report/getCountReportsForDevicesAtLocation: counts of each camera at a location, by interval. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { mapOf, oneOf, ruuid } from '../../http/fields/field-types.ts';
import { objectCounts } from '../../reports/object-counts.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import { camerasAt } from '../platform/counting-cameras.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  COUNTED_TYPES,
  DATA_POINTS,
  DEFAULT_TYPE,
  dataPoint,
  EXAMPLE_DATA_POINT,
  INTERVAL_FIELD,
  OBJECT_COUNT_RULES,
  SIZE_BY_INTERVAL,
} from './object-count-report.ts';
import { RANGE_PROPERTIES } from './report-range.ts';

export const getCountReportsForDevicesAtLocation = defineEndpoint({
  path: '/api/report/getCountReportsForDevicesAtLocation',
  summary: 'Counts people, vehicles, faces or license plates at each camera of a location.',
  description: `${OBJECT_COUNT_RULES} Intervals begin in UTC.`,
  request: Type.Object({
    locationUuid: ruuid('The location.'),
    ...RANGE_PROPERTIES,
    interval: INTERVAL_FIELD,
    type: Type.Optional(oneOf(COUNTED_TYPES, `What is counted. Default ${DEFAULT_TYPE}.`)),
  }),
  response: { timeSeriesDataPointsMap: mapOf(DATA_POINTS, 'By the UUID of the camera.') },
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID, startTimeMs: EXAMPLE_TIME_MS, type: 'PEOPLE' },
    response: { timeSeriesDataPointsMap: { [EXAMPLE_CAMERA_UUID]: [EXAMPLE_DATA_POINT] } },
  },
  async handler(context, { locationUuid, interval = 'HOURLY', type = DEFAULT_TYPE, ...range }) {
    const { orgUuid, services } = context;
    const query = { ...range, bucketSize: SIZE_BY_INTERVAL[interval], types: [type] };
    const timeSeriesDataPointsMap: Record<string, ReturnType<typeof dataPoint>[]> = {};
    for (const camera of await camerasAt(context, locationUuid, 'locationUuid')) {
      const devices = [reportingDevice(camera)];
      const counts = await objectCounts(services.crossingReports, orgUuid, devices, query);
      timeSeriesDataPointsMap[camera] = counts.map(dataPoint);
    }
    return { timeSeriesDataPointsMap };
  },
});
