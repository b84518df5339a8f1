/** POST /api/report/getOccupancyCountsV2: the highest occupancy of each interval. */

import { Temporal } from 'temporal-polyfill';
import { type Static, Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import { isTimeZone } from '../../core/time-zone.ts';
import type { OccupancyPeak } from '../../store/crossing.ts';
import { type CallContext, defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../base/examples.ts';
import { deviceFacetUuid, int64, listOf, mapOf, namedType, oneOf, plainText } from '../base/field-types.ts';
import { REPORT_ERRORS } from './errors.ts';
import { type BucketSize, bucketRuns } from './report-buckets.ts';
import { RANGE_PROPERTIES, rangeOf } from './report-range.ts';

const SIZE_BY_INTERVAL = {
  MINUTELY: 'MINUTE',
  QUARTERHOURLY: 'QUARTER_HOUR',
  HOURLY: 'HOUR',
  DAILY: 'DAY',
  WEEKLY: 'WEEK',
  MONTHLY: 'MONTH',
} as const satisfies Record<string, BucketSize>;

const INTERVALS = ['MINUTELY', 'QUARTERHOURLY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'] as const;

/** The key under which the maps of a point speak of occupancy. */
const OCCUPANCY_KEY = 'OCCUPANCY_COUNTING';

const DATA_POINT_SCHEMA = namedType('TimeSeriesDataPointV2Extended', {
  timestampMs: int64('When the interval begins, in epoch milliseconds.'),
  dateLocal: plainText('The same as ISO 8601 in the time zone of the device’s location.'),
  dateUtc: plainText('The same as ISO 8601 in UTC.'),
  eventCountMap: mapOf(
    int64('Count.'),
    `Under \`${OCCUPANCY_KEY}\`: the highest occupancy reported in the interval.`,
  ),
  approximateTimestampMsMap: mapOf(
    int64('Epoch milliseconds.'),
    `Under \`${OCCUPANCY_KEY}\`: when that many were first reported.`,
  ),
  reportingDevicesMap: mapOf(
    listOf(deviceFacetUuid('Device.'), 'Devices.'),
    `Under \`${OCCUPANCY_KEY}\`: the facets that reported.`,
  ),
});

export const getOccupancyCountsV2 = defineEndpoint({
  path: '/api/report/getOccupancyCountsV2',
  summary: 'Lists the occupancy that a device saw, by interval.',
  description:
    'Intervals begin where they do in the time zone of the device’s location, UTC when it has none; weeks begin on ' +
    'Monday. Intervals in which nothing was reported are left out. With several facets, the fullest one counts. At ' +
    'most 9,000 intervals and 20 years.',
  request: Type.Object({
    deviceUuid: deviceFacetUuid('The device; without a facet, all of its facets.'),
    ...RANGE_PROPERTIES,
    interval: Type.Optional(oneOf(INTERVALS, 'Length of the intervals. HOURLY when absent.')),
  }),
  response: { timeSeriesDataPoints: listOf(DATA_POINT_SCHEMA, 'The intervals, oldest first.') },
  example: {
    request: {
      deviceUuid: EXAMPLE_CAMERA_UUID,
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 3_600_000,
      interval: 'HOURLY',
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
  async handler(context, body) {
    const { uuid: deviceUuid, facet } = parseDeviceFacetUuid(body.deviceUuid)!;
    const timeZone = await zoneOfDevice(context, deviceUuid);
    const range = rangeOf(body, context.services.clock);
    const size = SIZE_BY_INTERVAL[body.interval ?? 'HOURLY'];
    const peaks = await context.services.store.occupancy.peaks(context.orgUuid, {
      devices: [{ deviceUuid, facet }],
      ...range,
      runs: bucketRuns({ ...range, size, timeZone }),
    });
    const intervals = [...Map.groupBy(peaks, ({ bucketStartMs }) => bucketStartMs).values()];
    return {
      timeSeriesDataPoints: LongList.of(intervals).map((ofInterval) => dataPoint(ofInterval, timeZone)),
    };
  },
});

/** Fails REPORT_DEVICE_NOT_FOUND for what is no camera and never reported. */
async function zoneOfDevice({ orgUuid, services }: CallContext, deviceUuid: Ruuid): Promise<string> {
  const { cameras, locations, occupancy } = services.store;
  const camera = await cameras.find(orgUuid, deviceUuid);
  if (camera === null && !(await occupancy.hasReported(orgUuid, deviceUuid))) {
    throw new GatewayError(REPORT_ERRORS.REPORT_DEVICE_NOT_FOUND, { device: deviceUuid });
  }
  const locationUuid = camera?.locationUuid ?? null;
  const location = locationUuid === null ? null : await locations.find(orgUuid, locationUuid);
  return location !== null && isTimeZone(location.tz) ? location.tz : 'UTC';
}

function dataPoint(peaks: readonly OccupancyPeak[], timeZone: string): Static<typeof DATA_POINT_SCHEMA> {
  const fullest = peaks.reduce((best, peak) =>
    peak.count > best.count || (peak.count === best.count && peak.atMs < best.atMs) ? peak : best,
  );
  const start = Temporal.Instant.fromEpochMilliseconds(fullest.bucketStartMs);
  return {
    timestampMs: fullest.bucketStartMs,
    dateLocal: start.toZonedDateTimeISO(timeZone).toString({ timeZoneName: 'never' }),
    dateUtc: start.toString(),
    eventCountMap: { [OCCUPANCY_KEY]: fullest.count },
    approximateTimestampMsMap: { [OCCUPANCY_KEY]: fullest.atMs },
    reportingDevicesMap: {
      [OCCUPANCY_KEY]: peaks.map(({ device }) =>
        device.facet === '' ? device.deviceUuid : `${device.deviceUuid}.${device.facet}`,
      ),
    },
  };
}
