/** POST /api/console/getServiceHistory: a day of service levels, of a share or of all. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, int64, listOf, oneOf, ruuid } from '../../http/fields/field-types.ts';
import { LEVEL_COLUMNS } from '../../service-levels/level-view.ts';
import { COUNTER_COLUMNS } from '../types/counter-columns.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

export const getServiceHistory = defineEndpoint({
  path: '/api/console/getServiceHistory',
  summary: 'Reads the service levels of the last 24 hours, every five minutes.',
  description:
    `${OPERATORS_ONLY} Of a share of the organization, or of all shares of the gateway: ` +
    `${LEVEL_COLUMNS.map((name) => `\`${name}\``).join(', ')}. All arrays are as long as \`timesMs\`; null means that nothing was ` +
    'measured at that time. The last five minutes are not over.',
  isExtension: true,
  request: Type.Object({
    sharedLiveVideoStreamUuid: Type.Optional(ruuid('A share; absent: all.')),
    source: Type.Optional(
      oneOf(
        ['probe', 'viewers'],
        'Who measured: the synthetic viewer or viewers themselves. Default `probe`.',
      ),
    ),
  }),
  response: {
    intervalMs: int32('Time between two values, in milliseconds.'),
    timesMs: listOf(int64('Milliseconds since 1970.'), 'When each five minutes began, oldest first.'),
    counters: COUNTER_COLUMNS,
  },
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID },
    response: {
      intervalMs: 300_000,
      timesMs: [EXAMPLE_TIME_MS, EXAMPLE_TIME_MS + 300_000],
      counters: { firstPictureP95Ms: [820, null], measurements: [1, 0] },
    },
  },
  async handler({ caller, services }, { sharedLiveVideoStreamUuid = null, source = 'probe' }) {
    const history = await services.system.serviceLevels.history(caller, sharedLiveVideoStreamUuid, source);
    return {
      intervalMs: history.slotMs,
      timesMs: [...history.timesMs],
      counters: Object.fromEntries(
        Object.entries(history.columns).map(([name, values]) => [
          name,
          values.map((value) => (Number.isNaN(value) ? null : value)),
        ]),
      ),
    };
  },
});
