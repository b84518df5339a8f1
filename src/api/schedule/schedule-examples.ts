/** Schedules in the documents. */

import { EXAMPLE_ORG_UUID, EXAMPLE_SCHEDULE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { absoluteScheduleAnswer, weeklyScheduleAnswer } from './schedule-types.ts';

const BASE = {
  uuid: EXAMPLE_SCHEDULE_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  mutable: true,
  oneTimeUse: false,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

/** Monday, 09:00 to 17:00. */
export const EXAMPLE_WEEKLY_SCHEDULE = weeklyScheduleAnswer({
  ...BASE,
  name: 'Monday, office hours',
  strategy: 'WEEKLY_REPEATING_MINUTES',
  intervals: [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1020 }],
});

export const EXAMPLE_ABSOLUTE_SCHEDULE = absoluteScheduleAnswer({
  ...BASE,
  name: 'Opening night',
  strategy: 'ABSOLUTE_SECONDS',
  intervals: [{ startSec: 1_767_290_400, stopSec: 1_767_312_000 }],
});
