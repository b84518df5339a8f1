/** POST /api/report/getThresholdCrossingCountReportForOrg: crossing counts of the organization, by bucket. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  COUNT_REPORT_PROPERTIES,
  COUNT_REPORT_RESPONSE,
  COUNT_REPORT_RULES,
  crossingCountsAnswer,
  EXAMPLE_COUNTS,
} from './crossing-count-report.ts';

export const getThresholdCrossingCountReportForOrg = defineEndpoint({
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
      crossingCounts: crossingCountsAnswer(await services.crossingReports.counts(orgUuid, null, body)),
    };
  },
});
