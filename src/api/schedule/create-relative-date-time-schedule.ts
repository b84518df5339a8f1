/** POST /api/schedule/createRelativeDateTimeSchedule: creates a schedule of local dates and times. Specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { RELATIVE_DATE_TIME_SCHEDULE_INPUT } from './schedule-types.ts';

export const createRelativeDateTimeSchedule = defineEndpoint({
  path: '/api/schedule/createRelativeDateTimeSchedule',
  summary: 'Creates a schedule of local dates and times.',
  description: 'It cannot be changed: delete it and create another.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ schedule: RELATIVE_DATE_TIME_SCHEDULE_INPUT }),
  response: { scheduleUuid: ruuid('The new schedule.') },
  example: {
    request: {
      schedule: {
        name: 'Holiday',
        intervals: [{ localStartDateTime: '2026-12-24T12:00:00', localEndDateTime: '2026-12-27T00:00:00' }],
      },
    },
    response: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
  },
  async handler({ orgUuid, services }, { schedule }) {
    const created = await services.schedules.createRelativeDateTime(orgUuid, {
      name: schedule.name,
      intervals: schedule.intervals.map(({ localStartDateTime, localEndDateTime }) => ({
        localStart: localStartDateTime,
        localStop: localEndDateTime,
      })),
      oneTimeUse: schedule.oneTimeUse ?? false,
    });
    return { scheduleUuid: created.uuid };
  },
});
