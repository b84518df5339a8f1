/** Occupancy reports, the highest count of each interval, for two endpoints. */

import { type Static, Type } from 'typebox';
import type { CallContext } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  int64,
  listOf,
  mapOf,
  namedType,
  oneOf,
  plainText,
} from '../../http/fields/field-types.ts';
import type { OccupancyInterval } from '../../reports/occupancy-reports.ts';
import type { BucketSize } from '../../reports/report-buckets.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { RANGE_PROPERTIES } from './report-range.ts';

const SIZE_BY_INTERVAL = {
  MINUTELY: 'MINUTE',
  QUARTERHOURLY: 'QUARTER_HOUR',
  HOURLY: 'HOUR',
  DAILY: 'DAY',
  WEEKLY: 'WEEK',
  MONTHLY: 'MONTH',
} as const satisfies Record<string, BucketSize>;

const INTERVALS = ['MINUTELY', 'QUARTERHOURLY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'] as const;

/** The key of occupancy in the maps of a data point. */
const OCCUPANCY_KEY = 'OCCUPANCY_COUNTING';

const DATA_POINT_SCHEMA = namedType('TimeSeriesDataPointV2Extended', {
  timestampMs: int64('When the interval begins, in epoch milliseconds.'),
  dateLocal: plainText('The same, as ISO 8601 in the time zone of the device’s location.'),
  dateUtc: plainText('The same, as ISO 8601 in UTC.'),
  eventCountMap: mapOf(
    int64('Count.'),
    `Under \`${OCCUPANCY_KEY}\`: the highest occupancy reported in the interval.`,
  ),
  approximateTimestampMsMap: mapOf(
    int64('Epoch milliseconds.'),
    `Under \`${OCCUPANCY_KEY}\`: when that count was first reported.`,
  ),
  reportingDevicesMap: mapOf(
    listOf(deviceFacetUuid('Device.'), 'Devices.'),
    `Under \`${OCCUPANCY_KEY}\`: the facets that reported.`,
  ),
});

const REQUEST = Type.Object({
  deviceUuid: deviceFacetUuid('The device; without a facet, all of its facets.'),
  ...RANGE_PROPERTIES,
  interval: Type.Optional(oneOf(INTERVALS, 'Length of the intervals. Default HOURLY.')),
});

export const OCCUPANCY_COUNTS = {
  description:
    'Intervals begin according to the time zone of the device’s location, or UTC if it has none; weeks begin on ' +
    'Monday. Intervals without reports are left out. If there are several facets, the one with the highest count ' +
    'applies. At most 9,000 intervals and 20 years.',
  request: REQUEST,
  response: { timeSeriesDataPoints: listOf(DATA_POINT_SCHEMA, 'The intervals, oldest first.') },
  example: {
    request: {
      deviceUuid: EXAMPLE_CAMERA_UUID,
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 3_600_000,
      interval: 'HOURLY' as const,
    },
    response: {
      timeSeriesDataPoints: [
        {
          timestampMs: EXAMPLE_TIME_MS,
          dateLocal: '2025-12-31T19:00:00-05:00',
          dateUtc: '2026-01-01T00:00:00Z',
          eventCountMap: { [OCCUPANCY_KEY]: 4 },
          approximateTimestampMsMap: { [OCCUPANCY_KEY]: EXAMPLE_TIME_MS + 120_000 },
          reportingDevicesMap: { [OCCUPANCY_KEY]: [EXAMPLE_CAMERA_UUID] },
        },
      ],
    },
  },
  async handler({ orgUuid, services }: CallContext, body: Static<typeof REQUEST>) {
    const device = reportingDevice(body.deviceUuid);
    const size = SIZE_BY_INTERVAL[body.interval ?? 'HOURLY'];
    const intervals = await services.occupancyReports.peaks(orgUuid, device, size, body);
    return { timeSeriesDataPoints: intervals.map(dataPoint) };
  },
};

function dataPoint({ fullest, reportedBy, start }: OccupancyInterval): Static<typeof DATA_POINT_SCHEMA> {
  return {
    timestampMs: start.epochMilliseconds,
    dateLocal: start.toString({ timeZoneName: 'never' }),
    dateUtc: start.toInstant().toString(),
    eventCountMap: { [OCCUPANCY_KEY]: fullest.count },
    approximateTimestampMsMap: { [OCCUPANCY_KEY]: fullest.atMs },
    reportingDevicesMap: {
      [OCCUPANCY_KEY]: reportedBy.map(({ deviceUuid, facet }) =>
        facet === '' ? deviceUuid : `${deviceUuid}.${facet}`,
      ),
    },
  };
}
