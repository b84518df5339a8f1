/** Schedules that repeat every week. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { listOf, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import {
  EXAMPLE_WEEKLY_SCHEDULE,
  WEEKLY_SCHEDULE_CHANGE,
  WEEKLY_SCHEDULE_INPUT,
  WEEKLY_SCHEDULE_SCHEMA,
  weeklyScheduleResponse,
} from './schedule-types.ts';

const findSchedules = defineEndpoint({
  path: '/api/policy/findSchedules',
  summary: 'Lists the weekly schedules of the organization.',
  description: 'Sorted by name. `/api/schedule/getSchedules` also lists the other kinds.',
  request: Type.Object({}),
  response: { schedules: listOf(WEEKLY_SCHEDULE_SCHEMA, 'The schedules.') },
  example: { request: {}, response: { schedules: [EXAMPLE_WEEKLY_SCHEDULE] } },
  async handler({ orgUuid, services }) {
    const { weekly } = await services.schedules.listByKind(orgUuid);
    return { schedules: LongList.of(weekly).map(weeklyScheduleResponse) };
  },
});

const findWeeklySchedule = defineEndpoint({
  path: '/api/schedule/findWeeklySchedule',
  summary: 'Reads a weekly schedule.',
  description: 'An absolute schedule is not found here.',
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: WEEKLY_SCHEDULE_SCHEMA },
  example: { request: { uuid: EXAMPLE_SCHEDULE_UUID }, response: { schedule: EXAMPLE_WEEKLY_SCHEDULE } },
  async handler({ orgUuid, services }, { uuid }) {
    return { schedule: weeklyScheduleResponse(await services.schedules.findWeekly(orgUuid, uuid)) };
  },
});

const REQUEST = Type.Object({ schedule: WEEKLY_SCHEDULE_INPUT });

/** Creates a weekly schedule, for two endpoints. */
const NEW_WEEKLY_SCHEDULE = {
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

const createWeeklySchedule = defineEndpoint({
  path: '/api/schedule/createWeeklySchedule',
  summary: 'Creates a weekly schedule.',
  repetition: 'once',
  ...NEW_WEEKLY_SCHEDULE,
});

const createSchedule = defineEndpoint({
  path: '/api/policy/createSchedule',
  summary: 'Creates a weekly schedule, like `createWeeklySchedule`.',
  repetition: 'once',
  ...NEW_WEEKLY_SCHEDULE,
});

const updateSchedule = defineEndpoint({
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

export const WEEKLY_SCHEDULE_ENDPOINTS: readonly Endpoint[] = [
  findSchedules,
  findWeeklySchedule,
  createWeeklySchedule,
  createSchedule,
  updateSchedule,
];
