/** POST /api/schedule/createAbsoluteSchedule: creates a schedule of time spans. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { EXAMPLE_ABSOLUTE_SCHEDULE } from './schedule-examples.ts';
import { ABSOLUTE_SCHEDULE_INPUT, absoluteIntervals } from './schedule-types.ts';

export const createAbsoluteSchedule = defineEndpoint({
  path: '/api/schedule/createAbsoluteSchedule',
  summary: 'Creates an absolute schedule.',
  description: 'Spans are epoch seconds from `b`, inclusive, to `e`, exclusive.',
  repetition: 'once',
  request: Type.Object({ schedule: ABSOLUTE_SCHEDULE_INPUT }),
  response: { scheduleUuid: ruuid('The new schedule.') },
  example: {
    request: {
      schedule: {
        name: EXAMPLE_ABSOLUTE_SCHEDULE.name,
        intervalList: EXAMPLE_ABSOLUTE_SCHEDULE.intervalList,
      },
    },
    response: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
  },
  async handler({ orgUuid, services }, { schedule }) {
    const created = await services.schedules.createAbsolute(orgUuid, {
      name: schedule.name,
      intervals: absoluteIntervals(schedule.intervalList),
      oneTimeUse: schedule.oneTimeUse ?? false,
    });
    return { scheduleUuid: created.uuid };
  },
});
