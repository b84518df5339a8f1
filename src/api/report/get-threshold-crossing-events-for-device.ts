/** POST /api/report/getThresholdCrossingEventsForDevice: the crossings at a device, page by page. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { CROSSING_DIRECTIONS, CROSSING_OBJECTS } from '../../store/crossing.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../base/examples.ts';
import {
  deviceFacetUuid,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  text,
} from '../base/field-types.ts';
import {
  MAX_PAGE_KEY_LENGTH,
  NEXT_PAGE_KEY_DESCRIPTION,
  PAGE_KEY_DESCRIPTION,
  pageKeyOf,
  readPageKey,
} from '../base/page-key.ts';
import { CROSSING_OBJECT_FIELD } from './crossing-count-report.ts';
import { RANGE_PROPERTIES, rangeOf } from './report-range.ts';
import { findReportedCameras } from './reported-cameras.ts';

const MAX_PAGE_SIZE = 1_000;
const PAGE_LIST = 'crossings';

const THRESHOLD_EVENT_SCHEMA = namedType('MinimalThresholdEvent', {
  timestampMs: int64('When it crossed, in epoch milliseconds.'),
  objectId: int32('What the camera tracks the object by.'),
  crossingObject: oneOf(CROSSING_OBJECTS, 'What crossed.'),
  direction: oneOf(CROSSING_DIRECTIONS, 'Whether it came in or went out.'),
});

export const getThresholdCrossingEventsForDevice = defineEndpoint({
  path: '/api/report/getThresholdCrossingEventsForDevice',
  summary: 'Lists the threshold crossings at a device.',
  description:
    'Oldest first. Give `lastEvaluatedKey` of an answer back, with the same other fields, to get the next page; it is ' +
    'null on the last one. Crossings that arrive meanwhile neither repeat nor hide any.',
  request: Type.Object({
    deviceUuid: deviceFacetUuid('The camera; without a facet, all of its facets.'),
    ...RANGE_PROPERTIES,
    crossingObject: CROSSING_OBJECT_FIELD,
    maxPageSize: Type.Optional(
      int32(`Most crossings in the answer. ${MAX_PAGE_SIZE} when absent.`, 1, MAX_PAGE_SIZE),
    ),
    lastEvaluatedKey: Type.Optional(text(PAGE_KEY_DESCRIPTION, MAX_PAGE_KEY_LENGTH)),
  }),
  response: {
    thresholdCrossingEvents: listOf(THRESHOLD_EVENT_SCHEMA, 'The crossings.'),
    lastEvaluatedKey: nullable(plainText(NEXT_PAGE_KEY_DESCRIPTION)),
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
      thresholdCrossingEvents: [
        { timestampMs: EXAMPLE_TIME_MS, objectId: 17, crossingObject: 'HUMAN', direction: 'INGRESS' },
      ],
      lastEvaluatedKey: null,
    },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const [device] = await findReportedCameras(context, [body.deviceUuid], 'deviceUuid');
    const pageSize = body.maxPageSize ?? MAX_PAGE_SIZE;
    const [atMs, id, facet] =
      body.lastEvaluatedKey === undefined
        ? []
        : readPageKey(body.lastEvaluatedKey, PAGE_LIST, ['number', 'string', 'string']);
    const crossings = await services.store.crossings.page(orgUuid, {
      device: device!,
      ...rangeOf(body, services.clock),
      ...(body.crossingObject === undefined ? {} : { object: body.crossingObject }),
      after: atMs === undefined ? null : { atMs, id: id!, facet: facet! },
      limit: pageSize + 1,
    });
    const page = crossings.slice(0, pageSize);
    const last = crossings.length > pageSize ? page.at(-1) : undefined;
    return {
      thresholdCrossingEvents: LongList.of(page).map(
        ({ atMs: timestampMs, objectId, object, direction }) => ({
          timestampMs,
          objectId,
          crossingObject: object,
          direction,
        }),
      ),
      lastEvaluatedKey: last === undefined ? null : pageKeyOf(PAGE_LIST, [last.atMs, last.id, last.facet]),
    };
  },
});
