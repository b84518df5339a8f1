/** POST /api/report/getThresholdCrossingEvents: the crossings at several devices, by device. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, listOf, mapOf } from '../../http/fields/field-types.ts';
import { MAX_LISTED_CROSSINGS } from '../../reports/crossing-reports.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { CROSSING_OBJECT_FIELD } from './crossing-count-report.ts';
import { RANGE_PROPERTIES } from './report-range.ts';
import {
  EXAMPLE_THRESHOLD_EVENT,
  THRESHOLD_EVENT_SCHEMA,
  thresholdEventAnswer,
} from './threshold-event-type.ts';

const MAX_DEVICES = 100;

export const getThresholdCrossingEvents = defineEndpoint({
  path: '/api/report/getThresholdCrossingEvents',
  summary: 'Lists the threshold crossings at several devices.',
  description:
    'Every device has an entry, which is empty if nothing crossed there. At most ' +
    `${MAX_LISTED_CROSSINGS.toLocaleString('en')} crossings at all devices together; a range with more is refused. ` +
    '`/api/report/getThresholdCrossingEventsForDevice` returns pages.',
  request: Type.Object({
    devices: listOf(deviceUuid('A camera.'), `The cameras, at most ${MAX_DEVICES}.`, MAX_DEVICES),
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
        [...found].map(([device, crossings]) => [device, crossings.map(thresholdEventAnswer)]),
      ),
    };
  },
});
