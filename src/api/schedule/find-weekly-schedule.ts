/** POST /api/schedule/findWeeklySchedule: one weekly schedule. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { EXAMPLE_WEEKLY_SCHEDULE } from './schedule-examples.ts';
import { WEEKLY_SCHEDULE_SCHEMA, weeklyScheduleAnswer } from './schedule-types.ts';

export const findWeeklySchedule = defineEndpoint({
  path: '/api/schedule/findWeeklySchedule',
  summary: 'Reads a weekly schedule.',
  description: 'An absolute schedule is not found here.',
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: WEEKLY_SCHEDULE_SCHEMA },
  example: { request: { uuid: EXAMPLE_SCHEDULE_UUID }, response: { schedule: EXAMPLE_WEEKLY_SCHEDULE } },
  async handler({ orgUuid, services }, { uuid }) {
    return { schedule: weeklyScheduleAnswer(await services.schedules.findWeekly(orgUuid, uuid)) };
  },
});
