/** POST /api/schedule/createWeeklySchedule: creates a schedule that repeats every week. */

import { defineEndpoint } from '../../http/endpoint.ts';
import { NEW_WEEKLY_SCHEDULE } from './new-weekly-schedule.ts';

export const createWeeklySchedule = defineEndpoint({
  path: '/api/schedule/createWeeklySchedule',
  summary: 'Creates a weekly schedule.',
  repetition: 'once',
  ...NEW_WEEKLY_SCHEDULE,
});
