/** Threshold crossings: one by one, and counted by bucket. */

import { type Static, Type } from 'typebox';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  oneOf,
} from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import {
  CROSSING_DIRECTIONS,
  CROSSING_OBJECTS,
  type Crossing,
  type CrossingCount,
  type CrossingMark,
} from '../../store/crossing.ts';
import { MAX_LISTED_CROSSINGS } from '../reports/crossing-reports.ts';
import { reportingDevice } from '../reports/reported-devices.ts';
import { BUCKET_SIZE_FIELD, RANGE_PROPERTIES, TIME_ZONE_FIELD } from './report-range.ts';

/** Threshold crossings one by one (docs/spec/conventions.md#events). */
const THRESHOLD_EVENT_SCHEMA = namedType('MinimalThresholdEvent', {
  timestampMs: int64('When it crossed, in epoch milliseconds.'),
  objectId: int32('The ID that the camera tracks the object by.'),
  crossingObject: oneOf(CROSSING_OBJECTS, 'What crossed.'),
  direction: oneOf(CROSSING_DIRECTIONS, 'Whether it came in or went out.'),
});

const EXAMPLE_THRESHOLD_EVENT: Static<typeof THRESHOLD_EVENT_SCHEMA> = {
  timestampMs: EXAMPLE_TIME_MS,
  objectId: 17,
  crossingObject: 'HUMAN',
  direction: 'INGRESS',
};

function thresholdEventResponse(crossing: Crossing): Static<typeof THRESHOLD_EVENT_SCHEMA> {
  const { atMs: timestampMs, objectId, object: crossingObject, direction } = crossing;
  return { timestampMs, objectId, crossingObject, direction };
}

const CROSSING_OBJECT_FIELD = Type.Optional(
  oneOf(CROSSING_OBJECTS, 'Only crossings of this kind of object. All kinds if absent.'),
);

const COUNT_REPORT_PROPERTIES = {
  ...RANGE_PROPERTIES,
  bucketSize: BUCKET_SIZE_FIELD,
  crossingObject: CROSSING_OBJECT_FIELD,
  dedupe: Type.Optional(
    flag(
      'Whether to count an object that a device recognizes again only once per bucket and direction. Default false.',
    ),
  ),
  timeZone: TIME_ZONE_FIELD,
};

const CROSSING_COUNTS_SCHEMA = namedType('CrossingCounts', {
  timestampMs: int64('When the bucket begins, in epoch milliseconds; this can be before `startTimeMs`.'),
  ingressCount: int32('How many came in.'),
  egressCount: int32('How many went out.'),
});

const COUNT_REPORT_RESPONSE = {
  crossingCounts: listOf(
    CROSSING_COUNTS_SCHEMA,
    'Every bucket that the range touches, in order, including empty ones.',
  ),
};

const COUNT_REPORT_RULES =
  'Counts crossings at or after `startTimeMs` and before `endTimeMs`. Buckets begin according to `timeZone`: a day ' +
  'has 23 or 25 hours when daylight saving time changes. If a range begins or ends within a bucket, only the covered ' +
  'part counts. So without `dedupe`, adjacent ranges add up to the whole; with `dedupe`, they do if they meet at the ' +
  'end of a bucket. At most 9,000 buckets and 20 years.';

const EXAMPLE_COUNTS = [
  { timestampMs: EXAMPLE_TIME_MS, ingressCount: 12, egressCount: 9 },
  { timestampMs: EXAMPLE_TIME_MS + 3_600_000, ingressCount: 0, egressCount: 3 },
];

function crossingCountsResponse(counts: readonly CrossingCount[]): Static<typeof CROSSING_COUNTS_SCHEMA>[] {
  return counts.map(({ bucketStartMs: timestampMs, ingressCount, egressCount }) => ({
    timestampMs,
    ingressCount,
    egressCount,
  }));
}

const MAX_PAGE_SIZE = 1_000;
const PAGE_LIST = 'crossings';

const getThresholdCrossingEventsForDevice = defineEndpoint({
  path: '/api/report/getThresholdCrossingEventsForDevice',
  summary: 'Lists the threshold crossings at a device.',
  description:
    'Oldest first. To get the next page, send back the `lastEvaluatedKey` of the response, with the other fields ' +
    'unchanged; it is absent on the last page. Crossings that arrive in the meantime are neither repeated nor hide ' +
    'others.',
  request: Type.Object({
    deviceUuid: deviceFacetUuid('The camera; without a facet, all of its facets.'),
    ...RANGE_PROPERTIES,
    crossingObject: CROSSING_OBJECT_FIELD,
    maxPageSize: Type.Optional(
      int32(`Maximum number of crossings. Default ${MAX_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE),
    ),
    lastEvaluatedKey: PAGE_KEY,
  }),
  response: {
    thresholdCrossingEvents: listOf(THRESHOLD_EVENT_SCHEMA, 'The crossings.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: {
      deviceUuid: EXAMPLE_CAMERA_UUID,
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 3_600_000,
      crossingObject: 'HUMAN',
      maxPageSize: 100,
    },
    response: {
      thresholdCrossingEvents: [EXAMPLE_THRESHOLD_EVENT],
      lastEvaluatedKey: null,
    },
  },
  async handler({ orgUuid, services }, body) {
    const { deviceUuid, lastEvaluatedKey, maxPageSize: limit = MAX_PAGE_SIZE, ...wanted } = body;
    const after = lastEvaluatedKey === undefined ? null : markIn(lastEvaluatedKey);
    const device = reportingDevice(deviceUuid);
    const { crossings, next } = await services.crossingReports.page(orgUuid, {
      ...wanted,
      device,
      after,
      limit,
    });
    return {
      thresholdCrossingEvents: LongList.of(crossings).map(thresholdEventResponse),
      lastEvaluatedKey: next === null ? null : pageKeyOf(PAGE_LIST, [next.atMs, next.id, next.facet]),
    };
  },
});

function markIn(key: string): CrossingMark {
  const [atMs, id, facet] = readPageKey(key, PAGE_LIST, ['number', 'string', 'string']);
  return { atMs, id, facet };
}

const MAX_LISTED_DEVICES = 100;

const getThresholdCrossingEvents = defineEndpoint({
  path: '/api/report/getThresholdCrossingEvents',
  summary: 'Lists the threshold crossings at several devices.',
  description:
    'Every device has an entry, which is empty if nothing crossed there. At most ' +
    `${MAX_LISTED_CROSSINGS.toLocaleString('en')} crossings at all devices together; a range with more is refused. ` +
    '`/api/report/getThresholdCrossingEventsForDevice` returns pages.',
  request: Type.Object({
    devices: listOf(
      deviceUuid('A camera.'),
      `The cameras, at most ${MAX_LISTED_DEVICES}.`,
      MAX_LISTED_DEVICES,
    ),
    ...RANGE_PROPERTIES,
    crossingObject: CROSSING_OBJECT_FIELD,
  }),
  response: {
    deviceToThresholdCrossingEventMap: mapOf(
      listOf(THRESHOLD_EVENT_SCHEMA, 'Its crossings, oldest first.'),
      'Crossings by the UUID of the camera.',
    ),
  },
  example: {
    request: {
      devices: [EXAMPLE_CAMERA_UUID],
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 3_600_000,
    },
    response: { deviceToThresholdCrossingEventMap: { [EXAMPLE_CAMERA_UUID]: [EXAMPLE_THRESHOLD_EVENT] } },
  },
  async handler({ orgUuid, services }, { devices, ...wanted }) {
    const found = await services.crossingReports.listByDevice(orgUuid, devices, wanted);
    return {
      deviceToThresholdCrossingEventMap: Object.fromEntries(
        [...found].map(([device, crossings]) => [device, crossings.map(thresholdEventResponse)]),
      ),
    };
  },
});

const getThresholdCrossingCountReport = defineEndpoint({
  path: '/api/report/getThresholdCrossingCountReport',
  summary: 'Counts threshold crossings at a device, by bucket.',
  description: COUNT_REPORT_RULES,
  request: Type.Object({
    ...COUNT_REPORT_PROPERTIES,
    deviceUuid: deviceFacetUuid('The camera; without a facet, all of its facets.'),
  }),
  response: COUNT_REPORT_RESPONSE,
  example: {
    request: {
      deviceUuid: EXAMPLE_CAMERA_UUID,
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 7_200_000,
      bucketSize: 'HOUR',
      dedupe: true,
    },
    response: { crossingCounts: EXAMPLE_COUNTS },
  },
  async handler({ orgUuid, services }, { deviceUuid, ...wanted }) {
    const counts = await services.crossingReports.countsAt(orgUuid, reportingDevice(deviceUuid), wanted);
    return { crossingCounts: crossingCountsResponse(counts) };
  },
});

const getThresholdCrossingCountReportForOrg = defineEndpoint({
  path: '/api/report/getThresholdCrossingCountReportForOrg',
  summary: 'Counts threshold crossings at all devices of the organization, by bucket.',
  description: COUNT_REPORT_RULES,
  request: Type.Object(COUNT_REPORT_PROPERTIES),
  response: COUNT_REPORT_RESPONSE,
  example: {
    request: {
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 7_200_000,
      bucketSize: 'HOUR',
      crossingObject: 'HUMAN',
      dedupe: false,
      timeZone: 'America/New_York',
    },
    response: { crossingCounts: EXAMPLE_COUNTS },
  },
  async handler({ orgUuid, services }, body) {
    return {
      crossingCounts: crossingCountsResponse(await services.crossingReports.counts(orgUuid, null, body)),
    };
  },
});

const MAX_COUNTED_DEVICES = 500;

const getBatchThresholdCrossingCountReport = defineEndpoint({
  path: '/api/report/getBatchThresholdCrossingCountReport',
  summary: 'Counts threshold crossings at several devices together, by bucket.',
  description: COUNT_REPORT_RULES,
  request: Type.Object({
    ...COUNT_REPORT_PROPERTIES,
    deviceUuids: listOf(
      deviceFacetUuid('A camera; without a facet, all of its facets.'),
      `The cameras, at most ${MAX_COUNTED_DEVICES}.`,
      MAX_COUNTED_DEVICES,
    ),
  }),
  response: COUNT_REPORT_RESPONSE,
  example: {
    request: {
      deviceUuids: [EXAMPLE_CAMERA_UUID],
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 7_200_000,
      bucketSize: 'HOUR',
      dedupe: true,
    },
    response: { crossingCounts: EXAMPLE_COUNTS },
  },
  async handler({ orgUuid, services }, body) {
    const devices = body.deviceUuids.map(reportingDevice);
    return {
      crossingCounts: crossingCountsResponse(await services.crossingReports.counts(orgUuid, devices, body)),
    };
  },
});

export const CROSSING_ENDPOINTS: readonly Endpoint[] = [
  getThresholdCrossingEventsForDevice,
  getThresholdCrossingEvents,
  getThresholdCrossingCountReport,
  getThresholdCrossingCountReportForOrg,
  getBatchThresholdCrossingCountReport,
];
