/** POST /api/console/getServiceLevels: what viewers see, measured. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { OPERATORS_ONLY } from './operators-only.ts';
import {
  NOTHING_MEASURED_EXAMPLE,
  SERVICE_LEVELS_ANSWER,
  SHARE_EXAMPLE,
  serviceLevelsAnswer,
} from './service-level-types.ts';

export const getServiceLevels = defineEndpoint({
  path: '/api/console/getServiceLevels',
  summary: 'Reads what viewers see: time to first picture, delay, stalls and errors.',
  description:
    `${OPERATORS_ONLY} \`probe\` is what the synthetic viewer measured, \`viewers\` what viewer pages reported about themselves, ` +
    'which they do only if `serviceLevels.viewerReports` is on: at the top of all shares of the gateway, in `shares` of each of ' +
    'the organization’s. Figures are of the last hour and of the last 24 hours, in slots of five minutes, and begin with the start ' +
    'of the gateway. Percentiles are estimated from the buckets of the metrics.',
  isExtension: true,
  request: Type.Object({}),
  response: SERVICE_LEVELS_ANSWER,
  example: {
    request: {},
    response: {
      ...{ everyMs: 300_000, runMs: 30_000, through: 'listener', hasViewerReports: false },
      ...{ firstPictureWithinMs: 1_500, delayWithinMs: 3_000, processState: 'running', processStarts: 1 },
      processId: 4_711,
      probe: NOTHING_MEASURED_EXAMPLE,
      viewers: NOTHING_MEASURED_EXAMPLE,
      shares: [SHARE_EXAMPLE],
    },
  },
  async handler({ caller, services }) {
    return serviceLevelsAnswer(await services.system.serviceLevels.read(caller));
  },
});
