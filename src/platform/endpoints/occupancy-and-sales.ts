/** Occupancy, and point-of-sale rows (docs/spec/rules.md#reports). */

import { type Static, type TUnsafe, Type } from 'typebox';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { nullableFields, responseFields } from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  int64,
  listOf,
  mapOf,
  namedType,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { OccupancyInterval } from '../reports/occupancy-reports.ts';
import type { BucketSize } from '../reports/report-buckets.ts';
import { reportingDevice } from '../reports/reported-devices.ts';
import { MAX_SALES_ROWS, type PosEventBody, type PosTexts } from '../reports/sales-reports.ts';
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

/** Occupancy reports, the highest count of each interval, for two endpoints. */
const OCCUPANCY_COUNTS = {
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

const getOccupancyCounts = defineEndpoint({
  path: '/api/report/getOccupancyCounts',
  summary: 'Lists the occupancy at a device, by interval, like `getOccupancyCountsV2`.',
  ...OCCUPANCY_COUNTS,
});

const getOccupancyCountsV2 = defineEndpoint({
  path: '/api/report/getOccupancyCountsV2',
  summary: 'Lists the occupancy at a device, by interval.',
  ...OCCUPANCY_COUNTS,
});

export const MAX_POS_CAMERAS = 100;

export const POS_TEXT_FIELDS = {
  employeeName: text('The employee who served.'),
  orderGuid: text('The order.'),
  paymentType: text('How it was paid.'),
  restaurantName: text('Name of the restaurant or store.'),
  revenueCenterName: text('Revenue center.'),
  serviceAreaName: text('Service area.'),
  timestamp: text('When it was rung up, in the system’s format.'),
  tipAmount: text('Tip.'),
  totalAmount: text('Total.'),
  totalDiscountAmount: text('Total discount.'),
  voided: text('Whether it was voided.'),
} satisfies Record<keyof PosTexts, TUnsafe<string>>;

const EVENT_TABLE_ROW_SCHEMA = Type.Object(
  {
    ...nullableFields(POS_TEXT_FIELDS),
    assignedCameraList: listOf(ruuid('Camera.'), 'Cameras that see the register.'),
  },
  { title: 'EventTableRow' },
);

function eventTableRow(body: PosEventBody): Static<typeof EVENT_TABLE_ROW_SCHEMA> {
  return { ...responseFields(POS_TEXT_FIELDS, body), assignedCameraList: [...body.assignedCameraList] };
}

const getPosEventsTableAllLocations = defineEndpoint({
  path: '/api/report/getPosEventsTableAllLocations',
  summary: 'Lists the point-of-sale rows of a business day at all locations.',
  description:
    'In the order of `timestamp`. `failedGuids` names the restaurants whose day an integration could not read and ' +
    'that have reported nothing since. Rows are reported through `/api/ingest/posEvents`. If a day has more than ' +
    `${MAX_SALES_ROWS.toLocaleString('en')} rows, the rest are left out, with a warning.`,
  request: Type.Object({
    businessDate: text('The business day: `2026-01-31` or `20260131`.', 10),
  }),
  response: {
    eventTable: listOf(EVENT_TABLE_ROW_SCHEMA, 'The rows.'),
    failedGuids: listOf(plainText('Restaurant.'), 'Restaurants whose rows are missing.'),
  },
  example: {
    request: { businessDate: '2026-01-01' },
    response: {
      eventTable: [
        {
          employeeName: 'Kim',
          orderGuid: 'order-1',
          paymentType: 'CREDIT',
          restaurantName: 'Harbour Café',
          revenueCenterName: null,
          serviceAreaName: null,
          timestamp: '2026-01-01T12:30:00Z',
          tipAmount: '2.00',
          totalAmount: '12.50',
          totalDiscountAmount: '0.00',
          voided: 'false',
          assignedCameraList: [EXAMPLE_CAMERA_UUID],
        },
      ],
      failedGuids: ['restaurant-2'],
    },
  },
  async handler(context, { businessDate }) {
    const { orgUuid, services } = context;
    const { rows, failedRestaurants, isCut } = await services.salesReports.ofDay(orgUuid, businessDate);
    if (isCut) {
      context.warn(
        `The day has more than ${MAX_SALES_ROWS.toLocaleString('en')} rows: the others are left out.`,
      );
    }
    return { eventTable: LongList.of(rows).map(eventTableRow), failedGuids: [...failedRestaurants] };
  },
});

export const OCCUPANCY_AND_SALES_ENDPOINTS: readonly Endpoint[] = [
  getOccupancyCounts,
  getOccupancyCountsV2,
  getPosEventsTableAllLocations,
];
