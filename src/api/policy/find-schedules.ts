/** POST /api/policy/findSchedules: the weekly schedules of the organization. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_WEEKLY_SCHEDULE } from '../schedule/schedule-examples.ts';
import { WEEKLY_SCHEDULE_SCHEMA, weeklyScheduleAnswer } from '../schedule/schedule-types.ts';

export const findSchedules = defineEndpoint({
  path: '/api/policy/findSchedules',
  summary: 'Lists the weekly schedules of the organization.',
  description: 'Sorted by name. `/api/schedule/getSchedules` also lists the other kinds.',
  request: Type.Object({}),
  response: { schedules: listOf(WEEKLY_SCHEDULE_SCHEMA, 'The schedules.') },
  example: { request: {}, response: { schedules: [EXAMPLE_WEEKLY_SCHEDULE] } },
  async handler({ orgUuid, services }) {
    const { weekly } = await services.schedules.listByKind(orgUuid);
    return { schedules: LongList.of(weekly).map(weeklyScheduleAnswer) };
  },
});
