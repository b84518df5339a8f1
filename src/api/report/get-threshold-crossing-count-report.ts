/** POST /api/report/getThresholdCrossingCountReport: crossing counts at one device, by bucket. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid } from '../../http/fields/field-types.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  COUNT_REPORT_PROPERTIES,
  COUNT_REPORT_RESPONSE,
  COUNT_REPORT_RULES,
  crossingCountsAnswer,
  EXAMPLE_COUNTS,
} from './crossing-count-report.ts';

export const getThresholdCrossingCountReport = defineEndpoint({
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
    return { crossingCounts: crossingCountsAnswer(counts) };
  },
});
