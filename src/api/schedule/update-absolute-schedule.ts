/** POST /api/schedule/updateAbsoluteSchedule: changes an absolute schedule. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { EXAMPLE_ABSOLUTE_SCHEDULE } from './schedule-examples.ts';
import { ABSOLUTE_SCHEDULE_CHANGE, absoluteIntervals } from './schedule-types.ts';

export const updateAbsoluteSchedule = defineEndpoint({
  path: '/api/schedule/updateAbsoluteSchedule',
  summary: 'Changes an absolute schedule.',
  description:
    'Absent fields stay as they are. Current viewers are cut off or let in according to the new spans.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ schedule: ABSOLUTE_SCHEDULE_CHANGE }),
  response: {},
  example: {
    request: {
      schedule: { uuid: EXAMPLE_SCHEDULE_UUID, intervalList: EXAMPLE_ABSOLUTE_SCHEDULE.intervalList },
    },
    response: {},
  },
  async handler({ orgUuid, services }, { schedule: { uuid, name, intervalList } }) {
    await services.schedules.updateAbsolute(orgUuid, uuid, {
      ...(name === undefined ? {} : { name }),
      ...(intervalList === undefined ? {} : { intervals: absoluteIntervals(intervalList) }),
    });
    return {};
  },
});
