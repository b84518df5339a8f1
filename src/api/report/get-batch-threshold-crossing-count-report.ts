/** POST /api/report/getBatchThresholdCrossingCountReport: how many crossed at some devices, by bucket. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, listOf } from '../../http/fields/field-types.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  COUNT_REPORT_PROPERTIES,
  COUNT_REPORT_RESPONSE,
  COUNT_REPORT_RULES,
  crossingCountsAnswer,
  EXAMPLE_COUNTS,
} from './crossing-count-report.ts';

const MAX_DEVICES = 500;

export const getBatchThresholdCrossingCountReport = defineEndpoint({
  path: '/api/report/getBatchThresholdCrossingCountReport',
  summary: 'Counts threshold crossings at several devices together, by bucket.',
  description: COUNT_REPORT_RULES,
  request: Type.Object({
    ...COUNT_REPORT_PROPERTIES,
    deviceUuids: listOf(
      deviceFacetUuid('A camera; without a facet, all of its facets.'),
      `The cameras, at most ${MAX_DEVICES}.`,
      MAX_DEVICES,
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
      crossingCounts: crossingCountsAnswer(await services.crossingReports.counts(orgUuid, devices, body)),
    };
  },
});
