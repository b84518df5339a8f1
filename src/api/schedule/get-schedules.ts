/** POST /api/schedule/getSchedules: every schedule of the organization. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_ABSOLUTE_SCHEDULE, EXAMPLE_WEEKLY_SCHEDULE } from './schedule-examples.ts';
import {
  ABSOLUTE_SCHEDULE_SCHEMA,
  absoluteScheduleAnswer,
  REALTIME_RELATIVE_SCHEDULE_SCHEMA,
  RELATIVE_DATE_TIME_SCHEDULE_SCHEMA,
  realtimeRelativeScheduleAnswer,
  relativeDateTimeScheduleAnswer,
  WEEKLY_SCHEDULE_SCHEMA,
  weeklyScheduleAnswer,
} from './schedule-types.ts';

export const getSchedules = defineEndpoint({
  path: '/api/schedule/getSchedules',
  summary: 'Lists the schedules of the organization.',
  description: 'All four kinds, each sorted by name.',
  request: Type.Object({}),
  response: {
    weeklySchedules: listOf(WEEKLY_SCHEDULE_SCHEMA, 'The weekly schedules.'),
    absoluteSchedules: listOf(ABSOLUTE_SCHEDULE_SCHEMA, 'The absolute schedules.'),
    relativeSchedules: listOf(REALTIME_RELATIVE_SCHEDULE_SCHEMA, 'Schedules of recent time.'),
    relativeDatetimeSchedules: listOf(
      RELATIVE_DATE_TIME_SCHEDULE_SCHEMA,
      'Schedules of local dates and times.',
    ),
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
    const schedules = await services.schedules.listByKind(orgUuid);
    return {
      weeklySchedules: LongList.of(schedules.weekly).map(weeklyScheduleAnswer),
      absoluteSchedules: LongList.of(schedules.absolute).map(absoluteScheduleAnswer),
      relativeSchedules: LongList.of(schedules.realtimeRelative).map(realtimeRelativeScheduleAnswer),
      relativeDatetimeSchedules: LongList.of(schedules.relativeDateTime).map(relativeDateTimeScheduleAnswer),
    };
  },
});
