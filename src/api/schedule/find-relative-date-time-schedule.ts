/** POST /api/schedule/findRelativeDateTimeSchedule: reads a schedule of local dates and times. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { RELATIVE_DATE_TIME_SCHEDULE_SCHEMA, relativeDateTimeScheduleAnswer } from './schedule-types.ts';

export const findRelativeDateTimeSchedule = defineEndpoint({
  path: '/api/schedule/findRelativeDateTimeSchedule',
  summary: 'Reads a schedule of local dates and times.',
  description: 'A schedule of another kind is not found here.',
  isExtension: true,
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: RELATIVE_DATE_TIME_SCHEDULE_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      schedule: relativeDateTimeScheduleAnswer({
        uuid: EXAMPLE_SCHEDULE_UUID,
        orgUuid: EXAMPLE_ORG_UUID,
        mutable: false,
        oneTimeUse: false,
        createdAtMs: 0,
        updatedAtMs: 0,
        name: 'Holiday',
        strategy: 'RELATIVE_DATETIME_INTERVALS',
        intervals: [{ localStart: '2026-12-24T12:00:00', localStop: '2026-12-27T00:00:00' }],
      }),
    },
  },
  async handler({ orgUuid, services }, { uuid }) {
    return {
      schedule: relativeDateTimeScheduleAnswer(await services.schedules.findRelativeDateTime(orgUuid, uuid)),
    };
  },
});
