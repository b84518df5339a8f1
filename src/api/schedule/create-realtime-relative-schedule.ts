/** POST /api/schedule/createRealtimeRelativeSchedule: creates a schedule of recent time. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { REALTIME_RELATIVE_SCHEDULE_INPUT } from './schedule-types.ts';

export const createRealtimeRelativeSchedule = defineEndpoint({
  path: '/api/schedule/createRealtimeRelativeSchedule',
  summary: 'Creates a schedule of recent time.',
  description: 'It cannot be changed: delete it and create another.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ schedule: REALTIME_RELATIVE_SCHEDULE_INPUT }),
  response: { scheduleUuid: ruuid('The new schedule.') },
  example: {
    request: { schedule: { name: 'Last hour', pastSeconds: 3_600 } },
    response: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
  },
  async handler({ orgUuid, services }, { schedule }) {
    const created = await services.schedules.createRealtimeRelative(orgUuid, {
      name: schedule.name,
      pastSeconds: schedule.pastSeconds,
      oneTimeUse: schedule.oneTimeUse ?? false,
    });
    return { scheduleUuid: created.uuid };
  },
});
