/** POST /api/schedule/findAbsoluteSchedule: one absolute schedule. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { EXAMPLE_ABSOLUTE_SCHEDULE } from './schedule-examples.ts';
import { ABSOLUTE_SCHEDULE_SCHEMA, absoluteScheduleAnswer } from './schedule-types.ts';

export const findAbsoluteSchedule = defineEndpoint({
  path: '/api/schedule/findAbsoluteSchedule',
  summary: 'Reads an absolute schedule.',
  description: 'A weekly schedule is not found here.',
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: ABSOLUTE_SCHEDULE_SCHEMA },
  example: { request: { uuid: EXAMPLE_SCHEDULE_UUID }, response: { schedule: EXAMPLE_ABSOLUTE_SCHEDULE } },
  async handler({ orgUuid, services }, { uuid }) {
    return { schedule: absoluteScheduleAnswer(await services.schedules.findAbsolute(orgUuid, uuid)) };
  },
});
