/** POST /api/schedule/createWeeklySchedule: a schedule that repeats every week. */

import { Type } from 'typebox';
import { ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { EXAMPLE_WEEKLY_SCHEDULE } from './schedule-examples.ts';
import { WEEKLY_SCHEDULE_INPUT } from './schedule-types.ts';

export const createWeeklySchedule = defineEndpoint({
  path: '/api/schedule/createWeeklySchedule',
  summary: 'Creates a weekly schedule.',
  description:
    'Minutes count from Monday 00:00 in the time zone of the location of whatever uses the schedule. Intervals are ' +
    'half-open; a stop at or below its start wraps the end of the week.',
  request: Type.Object({ schedule: WEEKLY_SCHEDULE_INPUT }),
  response: { scheduleUuid: ruuid('The new schedule.') },
  example: {
    request: {
      schedule: { name: EXAMPLE_WEEKLY_SCHEDULE.name, intervalList: EXAMPLE_WEEKLY_SCHEDULE.intervalList },
    },
    response: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
  },
  async handler({ orgUuid, services }, { schedule }) {
    const created = await services.schedules.createWeekly(orgUuid, {
      name: schedule.name,
      intervals: schedule.intervalList,
      oneTimeUse: schedule.oneTimeUse ?? false,
    });
    return { scheduleUuid: created.uuid };
  },
});
