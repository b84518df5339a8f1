/** POST /api/report/getRunningAverage: the average of counts so far, by interval. */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { double, listOf, mapOf, namedType, plainText } from '../../http/fields/field-types.ts';
import { type RunningAverage, runningAverages } from '../../reports/running-average.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { DATED_RANGE_PROPERTIES } from './dated-range.ts';
import { COUNTED_TYPES, INTERVAL_FIELD, OBJECT_COUNT_RULES } from './object-count-report.ts';
import { SCOPE_PROPERTIES, scopedCounts } from './scoped-counts.ts';

const STATS_SCHEMA = namedType('Stats', {
  avg: double('The average.'),
  stddev: double('The standard deviation of the intervals that are averaged.'),
});

const DATA_POINT_SCHEMA = namedType('WeeklyStatisticsDataPoint', {
  date: plainText(
    'When the interval begins in the time zone of the report: a date, or with intervals of less than a day an ISO 8601 time.',
  ),
  stats: mapOf(STATS_SCHEMA, 'By type.'),
});

type Interval = 'QUARTERHOURLY' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY';

export const getRunningAverage = defineEndpoint({
  path: '/api/report/getRunningAverage',
  summary: 'Averages how many people, vehicles, faces or license plates were counted, by interval.',
  description:
    'Every interval that the range touches has an entry, oldest first: the average of the counts of this interval and ' +
    `all earlier ones of the range. ${OBJECT_COUNT_RULES}`,
  request: Type.Object({ ...DATED_RANGE_PROPERTIES, ...SCOPE_PROPERTIES, interval: INTERVAL_FIELD }),
  response: { statsDataPoints: listOf(DATA_POINT_SCHEMA, 'The averages, oldest first.') },
  example: {
    request: { scope: 'DEVICE', uuid: EXAMPLE_CAMERA_UUID, startTimeMs: EXAMPLE_TIME_MS, interval: 'DAILY' },
    response: { statsDataPoints: [{ date: '2026-01-01', stats: { PEOPLE: { avg: 21.5, stddev: 3.2 } } }] },
  },
  async handler(context, body) {
    const { interval = 'HOURLY' } = body;
    const counts = await scopedCounts(context, body, { interval, types: COUNTED_TYPES });
    return { statsDataPoints: runningAverages(counts).map((average) => dataPoint(average, interval)) };
  },
});

function dataPoint(
  { start, statistics }: RunningAverage,
  interval: Interval,
): Static<typeof DATA_POINT_SCHEMA> {
  const isPartOfDay = interval === 'HOURLY' || interval === 'QUARTERHOURLY';
  const stats = Object.entries(statistics).map(([type, { mean, standardDeviation }]) => [
    type,
    { avg: mean, stddev: standardDeviation },
  ]);
  return {
    date: isPartOfDay ? start.toString({ timeZoneName: 'never' }) : start.toPlainDate().toString(),
    stats: Object.fromEntries(stats),
  };
}
