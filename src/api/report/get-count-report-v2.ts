/** POST /api/report/getCountReportV2: how many people, vehicles, faces or plates were counted, by interval. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, oneOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { DATED_RANGE_PROPERTIES } from './dated-range.ts';
import {
  COUNTED_TYPES,
  DATA_POINTS,
  DEFAULT_TYPE,
  dataPoint,
  EXAMPLE_DATA_POINT,
  INTERVAL_FIELD,
  OBJECT_COUNT_RULES,
} from './object-count-report.ts';
import { SCOPE_PROPERTIES, scopedCounts } from './scoped-counts.ts';

export const getCountReportV2 = defineEndpoint({
  path: '/api/report/getCountReportV2',
  summary: 'Counts people, vehicles, faces or license plates, by interval.',
  description: OBJECT_COUNT_RULES,
  request: Type.Object({
    ...DATED_RANGE_PROPERTIES,
    ...SCOPE_PROPERTIES,
    interval: INTERVAL_FIELD,
    types: Type.Optional(
      listOf(
        oneOf(COUNTED_TYPES, 'Type.'),
        `What is counted. Default ${DEFAULT_TYPE}.`,
        COUNTED_TYPES.length,
      ),
    ),
  }),
  response: { timeSeriesDataPoints: DATA_POINTS },
  example: {
    request: { scope: 'DEVICE', uuid: EXAMPLE_CAMERA_UUID, startTimeMs: EXAMPLE_TIME_MS, types: ['PEOPLE'] },
    response: { timeSeriesDataPoints: [EXAMPLE_DATA_POINT] },
  },
  async handler(context, body) {
    const { interval = 'HOURLY', types = [DEFAULT_TYPE] } = body;
    const counts = await scopedCounts(context, body, { interval, types });
    return { timeSeriesDataPoints: counts.map(dataPoint) };
  },
});
