/** POST /api/schedule/findRealtimeRelativeSchedule: reads a schedule of recent time. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { REALTIME_RELATIVE_SCHEDULE_SCHEMA, realtimeRelativeScheduleAnswer } from './schedule-types.ts';

export const findRealtimeRelativeSchedule = defineEndpoint({
  path: '/api/schedule/findRealtimeRelativeSchedule',
  summary: 'Reads a schedule of recent time.',
  description: 'A schedule of another kind is not found here.',
  isExtension: true,
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: REALTIME_RELATIVE_SCHEDULE_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      schedule: realtimeRelativeScheduleAnswer({
        uuid: EXAMPLE_SCHEDULE_UUID,
        orgUuid: EXAMPLE_ORG_UUID,
        mutable: false,
        oneTimeUse: false,
        createdAtMs: 0,
        updatedAtMs: 0,
        name: 'Last hour',
        strategy: 'REALTIME_RELATIVE_SECONDS',
        pastSeconds: 3_600,
      }),
    },
  },
  async handler({ orgUuid, services }, { uuid }) {
    return {
      schedule: realtimeRelativeScheduleAnswer(await services.schedules.findRealtimeRelative(orgUuid, uuid)),
    };
  },
});
