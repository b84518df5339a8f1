/** POST /api/report/getThresholdCrossingEventsForDevice: the crossings at a device, page by page. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, int32, listOf } from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import type { CrossingMark } from '../../store/crossing.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { CROSSING_OBJECT_FIELD } from './crossing-count-report.ts';
import { RANGE_PROPERTIES } from './report-range.ts';
import {
  EXAMPLE_THRESHOLD_EVENT,
  THRESHOLD_EVENT_SCHEMA,
  thresholdEventAnswer,
} from './threshold-event-type.ts';

const MAX_PAGE_SIZE = 1_000;
const PAGE_LIST = 'crossings';

export const getThresholdCrossingEventsForDevice = defineEndpoint({
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
      thresholdCrossingEvents: LongList.of(crossings).map(thresholdEventAnswer),
      lastEvaluatedKey: next === null ? null : pageKeyOf(PAGE_LIST, [next.atMs, next.id, next.facet]),
    };
  },
});

function markIn(key: string): CrossingMark {
  const [atMs, id, facet] = readPageKey(key, PAGE_LIST, ['number', 'string', 'string']);
  return { atMs, id, facet };
}
