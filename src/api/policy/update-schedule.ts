/** POST /api/policy/updateSchedule: changes a weekly schedule. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_WEEKLY_SCHEDULE } from '../schedule/schedule-examples.ts';
import { WEEKLY_SCHEDULE_CHANGE } from '../schedule/schedule-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';

export const updateSchedule = defineEndpoint({
  path: '/api/policy/updateSchedule',
  summary: 'Changes a weekly schedule.',
  description:
    'Absent fields stay as they are. Current viewers are cut off or let in according to the new minutes.',
  repetition: 'same-outcome',
  request: Type.Object({ schedule: WEEKLY_SCHEDULE_CHANGE }),
  response: {},
  example: {
    request: {
      schedule: { uuid: EXAMPLE_SCHEDULE_UUID, intervalList: EXAMPLE_WEEKLY_SCHEDULE.intervalList },
    },
    response: {},
  },
  async handler({ orgUuid, services }, { schedule: { uuid, name, intervalList } }) {
    await services.schedules.updateWeekly(orgUuid, uuid, {
      ...(name === undefined ? {} : { name }),
      ...(intervalList === undefined ? {} : { intervals: intervalList }),
    });
    return {};
  },
});
