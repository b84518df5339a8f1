/** POST /api/policy/createSchedule: creates a weekly schedule, like /api/schedule/createWeeklySchedule. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { NEW_WEEKLY_SCHEDULE } from '../schedule/new-weekly-schedule.ts';

export const createSchedule = defineEndpoint({
  path: '/api/policy/createSchedule',
  summary: 'Creates a weekly schedule, like `createWeeklySchedule`.',
  repetition: 'once',
  ...NEW_WEEKLY_SCHEDULE,
});
