/** Counts of people, vehicles, faces, and license plates. */

import { type Static, Type } from 'typebox';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../../api/types/examples.ts';
import { GatewayError } from '../../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  double,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import type { ReportingDevice } from '../../store/crossing.ts';
import { REPORT_ERRORS } from '../reports/errors.ts';
import {
  COUNTED_OBJECTS,
  type CountedType,
  type ObjectCounts,
  objectCounts,
} from '../reports/object-counts.ts';
import type { PeopleCount } from '../reports/occupancy-reports.ts';
import { reportingDevice } from '../reports/reported-devices.ts';
import { type RunningAverage, runningAverages } from '../reports/running-average.ts';
import { camerasAt } from './counting-cameras.ts';
import { DATED_RANGE_PROPERTIES, datedRange, RANGE_PROPERTIES } from './report-range.ts';

const COUNTED_TYPES = Object.keys(COUNTED_OBJECTS) as CountedType[];
const DEFAULT_TYPE: CountedType = 'PEOPLE';

const SIZE_BY_INTERVAL = {
  QUARTERHOURLY: 'QUARTER_HOUR',
  HOURLY: 'HOUR',
  DAILY: 'DAY',
  WEEKLY: 'WEEK',
  MONTHLY: 'MONTH',
} as const;

const INTERVAL_FIELD = Type.Optional(
  oneOf(
    ['QUARTERHOURLY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'],
    'Length of the intervals. Default HOURLY.',
  ),
);

const DATA_POINT_SCHEMA = namedType('TimeSeriesDataPointV2', {
  dateLocal: plainText('When the interval begins, as ISO 8601 in the time zone of the report.'),
  dateUtc: plainText('The same, as ISO 8601 in UTC.'),
  eventCountMap: mapOf(int64('Count.'), 'How many crossed a threshold, in either direction, by type.'),
});

const DATA_POINTS = listOf(
  DATA_POINT_SCHEMA,
  'Every interval that the range touches, oldest first, including empty ones.',
);

const OBJECT_COUNT_RULES =
  'Counts what cameras report as threshold crossings: people, vehicles, faces and license plates. Other types of the API family ' +
  'are refused, because nothing of them is counted. At most 9,000 intervals and 20 years.';

function dataPoint({ start, counts }: ObjectCounts): Static<typeof DATA_POINT_SCHEMA> {
  return {
    dateLocal: start.toString({ timeZoneName: 'never' }),
    dateUtc: start.toInstant().toString(),
    eventCountMap: { ...counts },
  };
}

const EXAMPLE_DATA_POINT: Static<typeof DATA_POINT_SCHEMA> = {
  dateLocal: '2026-01-01T00:00:00+00:00',
  dateUtc: '2026-01-01T00:00:00Z',
  eventCountMap: { PEOPLE: 21 },
};

const SCOPE_PROPERTIES = {
  scope: Type.Optional(oneOf(['DEVICE', 'LOCATION', 'ORG'], 'Where. Default ORG.')),
  uuid: Type.Optional(deviceFacetUuid('With DEVICE the camera, with LOCATION the location.')),
};

type Scope = Static<ReturnType<typeof Type.Object<typeof SCOPE_PROPERTIES>>>;
type Range = Static<ReturnType<typeof Type.Object<typeof DATED_RANGE_PROPERTIES>>>;

/** Fails INVALID_FIELD, and like objectCounts. */
async function scopedCounts(
  context: CallContext,
  body: Scope & Range,
  wanted: { readonly interval: keyof typeof SIZE_BY_INTERVAL; readonly types: readonly CountedType[] },
): Promise<ObjectCounts[]> {
  const { orgUuid, services } = context;
  const devices = await devicesOf(context, body);
  const { timeZone } = body;
  const query = {
    ...datedRange(body),
    bucketSize: SIZE_BY_INTERVAL[wanted.interval],
    types: wanted.types,
    ...(timeZone === undefined ? {} : { timeZone }),
  };
  return objectCounts(services.crossingReports, orgUuid, devices, query).catch((thrown: unknown) => {
    const isUnknown =
      thrown instanceof GatewayError && thrown.code === REPORT_ERRORS.REPORT_DEVICE_NOT_FOUND.code;
    throw isUnknown ? invalidField('uuid: there is no device with this UUID.') : thrown;
  });
}

/** null: all of the organization. */
async function devicesOf(
  context: CallContext,
  { scope = 'ORG', uuid }: Scope,
): Promise<ReportingDevice[] | null> {
  if (scope === 'ORG') return null;
  if (uuid === undefined) throw invalidField(`uuid is required with scope ${scope}.`);
  if (scope === 'DEVICE') return [reportingDevice(uuid)];
  return (await camerasAt(context, uuid, 'uuid')).map((camera) => reportingDevice(camera));
}

const getCountReportV2 = defineEndpoint({
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

const getCountReportsForDevicesAtLocation = defineEndpoint({
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

const STATS_SCHEMA = namedType('Stats', {
  avg: double('The average.'),
  stddev: double('The standard deviation of the intervals that are averaged.'),
});

const AVERAGE_SCHEMA = namedType('WeeklyStatisticsDataPoint', {
  date: plainText(
    'When the interval begins in the time zone of the report: a date, or with intervals of less than a day an ISO 8601 time.',
  ),
  stats: mapOf(STATS_SCHEMA, 'By type.'),
});

type Interval = 'QUARTERHOURLY' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY';

const getRunningAverage = defineEndpoint({
  path: '/api/report/getRunningAverage',
  summary: 'Averages how many people, vehicles, faces or license plates were counted, by interval.',
  description:
    'Every interval that the range touches has an entry, oldest first: the average of the counts of this interval and ' +
    `all earlier ones of the range. ${OBJECT_COUNT_RULES}`,
  request: Type.Object({ ...DATED_RANGE_PROPERTIES, ...SCOPE_PROPERTIES, interval: INTERVAL_FIELD }),
  response: { statsDataPoints: listOf(AVERAGE_SCHEMA, 'The averages, oldest first.') },
  example: {
    request: { scope: 'DEVICE', uuid: EXAMPLE_CAMERA_UUID, startTimeMs: EXAMPLE_TIME_MS, interval: 'DAILY' },
    response: { statsDataPoints: [{ date: '2026-01-01', stats: { PEOPLE: { avg: 21.5, stddev: 3.2 } } }] },
  },
  async handler(context, body) {
    const { interval = 'HOURLY' } = body;
    const counts = await scopedCounts(context, body, { interval, types: COUNTED_TYPES });
    return { statsDataPoints: runningAverages(counts).map((average) => averagePoint(average, interval)) };
  },
});

function averagePoint(
  { start, statistics }: RunningAverage,
  interval: Interval,
): Static<typeof AVERAGE_SCHEMA> {
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

const DEFAULT_EVENTS = 10;
const MAX_EVENTS = 1_000;
const MAX_DEVICES = 100;

const EVENT_SCHEMA = namedType('PeopleCountEvent', {
  uuid: ruuid('The event.'),
  orgUuid: ruuid('The organization.'),
  deviceUuid: deviceFacetUuid('The camera, with the facet that counted.'),
  locationUuid: nullable(ruuid('The camera’s current location.')),
  eventTimestamp: int64('When it counted, in epoch milliseconds.'),
  timestampMs: int64('The same; the name that some clients read.'),
  peopleCount: int32('How many people were there.'),
  count: int32('The same; the name that some clients read.'),
});

const getMostRecentPeopleCountEvents = defineEndpoint({
  path: '/api/report/getMostRecentPeopleCountEvents',
  summary: 'Lists the newest people counts of cameras.',
  description:
    'What was reported to `/api/ingest/occupancyCounts`, newest first. Of several cameras, the newest counts of all of ' +
    'them together. The gateway has neither images nor bounding boxes of counts.',
  request: Type.Object({
    deviceUuid: Type.Optional(deviceFacetUuid('The camera; without a facet, all of its facets.')),
    deviceUuids: Type.Optional(listOf(deviceFacetUuid('A camera.'), 'Several cameras.', MAX_DEVICES)),
    numMostRecent: Type.Optional(int32(`How many. Default ${DEFAULT_EVENTS}.`, 1, MAX_EVENTS)),
  }),
  response: { events: listOf(EVENT_SCHEMA, 'The counts.') },
  example: {
    request: { deviceUuid: EXAMPLE_CAMERA_UUID, numMostRecent: 1 },
    response: {
      events: [
        eventResponse(EXAMPLE_ORG_UUID, {
          uuid: deriveRuuid('example', 'people count'),
          id: 'count-1',
          deviceUuid: EXAMPLE_CAMERA_UUID,
          facet: 'v0',
          atMs: EXAMPLE_TIME_MS,
          count: 4,
          locationUuid: EXAMPLE_LOCATION_UUID,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }, { deviceUuid, deviceUuids, numMostRecent: limit = DEFAULT_EVENTS }) {
    const named = deviceUuid === undefined ? deviceUuids : [deviceUuid];
    if (named === undefined) throw invalidField('deviceUuid is required.');
    const how = { limit, isList: deviceUuid === undefined };
    const counts = await services.occupancyReports.latest(orgUuid, named.map(reportingDevice), how);
    return { events: counts.map((count) => eventResponse(orgUuid, count)) };
  },
});

function eventResponse(orgUuid: Ruuid, event: PeopleCount): Static<typeof EVENT_SCHEMA> {
  const { uuid, deviceUuid, facet, locationUuid, atMs, count } = event;
  return {
    uuid,
    orgUuid,
    deviceUuid: facet === '' ? deviceUuid : `${deviceUuid}.${facet}`,
    locationUuid,
    eventTimestamp: atMs,
    timestampMs: atMs,
    peopleCount: count,
    count,
  };
}

export const OBJECT_COUNT_ENDPOINTS: readonly Endpoint[] = [
  getCountReportV2,
  getCountReportsForDevicesAtLocation,
  getRunningAverage,
  getMostRecentPeopleCountEvents,
];
