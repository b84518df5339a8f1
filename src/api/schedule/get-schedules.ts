/** POST /api/schedule/getSchedules: every schedule of the organisation. */

import { Type } from 'typebox';
import { defineEndpoint } from '../base/endpoint.ts';
import { listOf } from '../base/field-types.ts';
import { EXAMPLE_ABSOLUTE_SCHEDULE, EXAMPLE_WEEKLY_SCHEDULE } from './schedule-examples.ts';
import {
  ABSOLUTE_SCHEDULE_SCHEMA,
  absoluteScheduleAnswer,
  WEEKLY_SCHEDULE_SCHEMA,
  weeklyScheduleAnswer,
} from './schedule-types.ts';

export const getSchedules = defineEndpoint({
  path: '/api/schedule/getSchedules',
  summary: 'Lists the schedules of the organisation.',
  description: 'By kind, each in order of their names. Sluice has weekly and absolute schedules.',
  request: Type.Object({}),
  response: {
    weeklySchedules: listOf(WEEKLY_SCHEDULE_SCHEMA, 'The weekly schedules.'),
    absoluteSchedules: listOf(ABSOLUTE_SCHEDULE_SCHEMA, 'The absolute schedules.'),
    relativeSchedules: listOf(Type.Object({}), 'Always empty.'),
    relativeDatetimeSchedules: listOf(Type.Object({}), 'Always empty.'),
  },
  example: {
    request: {},
    response: {
      weeklySchedules: [EXAMPLE_WEEKLY_SCHEDULE],
      absoluteSchedules: [EXAMPLE_ABSOLUTE_SCHEDULE],
      relativeSchedules: [],
      relativeDatetimeSchedules: [],
    },
  },
  async handler({ orgUuid, services }) {
    const schedules = await services.schedules.list(orgUuid);
    const byName = schedules.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
    return {
      weeklySchedules: byName
        .filter((schedule) => schedule.strategy === 'WEEKLY_REPEATING_MINUTES')
        .map(weeklyScheduleAnswer),
      absoluteSchedules: byName
        .filter((schedule) => schedule.strategy === 'ABSOLUTE_SECONDS')
        .map(absoluteScheduleAnswer),
      relativeSchedules: [],
      relativeDatetimeSchedules: [],
    };
  },
});
