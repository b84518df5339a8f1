/** Creates a weekly schedule, for two endpoints. */

import { type Static, Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import { EXAMPLE_WEEKLY_SCHEDULE } from './schedule-examples.ts';
import { WEEKLY_SCHEDULE_INPUT } from './schedule-types.ts';

const REQUEST = Type.Object({ schedule: WEEKLY_SCHEDULE_INPUT });

export const NEW_WEEKLY_SCHEDULE = {
  description:
    'Minutes count from Monday 00:00 in the time zone of the location where the schedule is used. Intervals are ' +
    'half-open; a stop at or before its start wraps around the end of the week.',
  request: REQUEST,
  response: { scheduleUuid: ruuid('The new schedule.') },
  example: {
    request: {
      schedule: { name: EXAMPLE_WEEKLY_SCHEDULE.name, intervalList: EXAMPLE_WEEKLY_SCHEDULE.intervalList },
    },
    response: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
  },
  async handler(
    { orgUuid, services }: CallContext,
    { schedule }: Static<typeof REQUEST>,
  ): Promise<{ scheduleUuid: Ruuid }> {
    const created = await services.schedules.createWeekly(orgUuid, {
      name: schedule.name,
      intervals: schedule.intervalList,
      oneTimeUse: schedule.oneTimeUse ?? false,
    });
    return { scheduleUuid: created.uuid };
  },
};
