/** POST /api/policy/createSchedule: a weekly schedule, as /api/schedule/createWeeklySchedule creates it. */

import { defineEndpoint } from '../http/endpoint.ts';
import { NEW_WEEKLY_SCHEDULE } from '../schedule/new-weekly-schedule.ts';

export const createSchedule = defineEndpoint({
  path: '/api/policy/createSchedule',
  summary: 'Creates a weekly schedule, as `createWeeklySchedule` does.',
  ...NEW_WEEKLY_SCHEDULE,
});
