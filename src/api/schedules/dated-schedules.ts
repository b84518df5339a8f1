/** Schedules of time spans: absolute ones, and those of recent and of local time. */

import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';
import {
  ABSOLUTE_SCHEDULE_CHANGE,
  ABSOLUTE_SCHEDULE_INPUT,
  ABSOLUTE_SCHEDULE_SCHEMA,
  absoluteIntervals,
  absoluteScheduleResponse,
  EXAMPLE_ABSOLUTE_SCHEDULE,
  REALTIME_RELATIVE_SCHEDULE_INPUT,
  REALTIME_RELATIVE_SCHEDULE_SCHEMA,
  RELATIVE_DATE_TIME_SCHEDULE_INPUT,
  RELATIVE_DATE_TIME_SCHEDULE_SCHEMA,
  realtimeRelativeScheduleResponse,
  relativeDateTimeScheduleResponse,
} from './schedule-types.ts';

const findAbsoluteSchedule = defineEndpoint({
  path: '/api/schedule/findAbsoluteSchedule',
  summary: 'Reads an absolute schedule.',
  description: 'A weekly schedule is not found here.',
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: ABSOLUTE_SCHEDULE_SCHEMA },
  example: { request: { uuid: EXAMPLE_SCHEDULE_UUID }, response: { schedule: EXAMPLE_ABSOLUTE_SCHEDULE } },
  async handler({ orgUuid, services }, { uuid }) {
    return { schedule: absoluteScheduleResponse(await services.schedules.findAbsolute(orgUuid, uuid)) };
  },
});

const createAbsoluteSchedule = defineEndpoint({
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

const updateAbsoluteSchedule = defineEndpoint({
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

const findRealtimeRelativeSchedule = defineEndpoint({
  path: '/api/schedule/findRealtimeRelativeSchedule',
  summary: 'Reads a schedule of recent time.',
  description: 'A schedule of another kind is not found here.',
  isExtension: true,
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: REALTIME_RELATIVE_SCHEDULE_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      schedule: realtimeRelativeScheduleResponse({
        uuid: EXAMPLE_SCHEDULE_UUID,
        orgUuid: EXAMPLE_ORG_UUID,
        mutable: false,
        oneTimeUse: false,
        createdAtMs: 0,
        updatedAtMs: 0,
        name: 'Last hour',
        strategy: 'REALTIME_RELATIVE_SECONDS',
        pastSeconds: 3_600,
      }),
    },
  },
  async handler({ orgUuid, services }, { uuid }) {
    return {
      schedule: realtimeRelativeScheduleResponse(
        await services.schedules.findRealtimeRelative(orgUuid, uuid),
      ),
    };
  },
});

const createRealtimeRelativeSchedule = defineEndpoint({
  path: '/api/schedule/createRealtimeRelativeSchedule',
  summary: 'Creates a schedule of recent time.',
  description: 'It cannot be changed: delete it and create another.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ schedule: REALTIME_RELATIVE_SCHEDULE_INPUT }),
  response: { scheduleUuid: ruuid('The new schedule.') },
  example: {
    request: { schedule: { name: 'Last hour', pastSeconds: 3_600 } },
    response: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
  },
  async handler({ orgUuid, services }, { schedule }) {
    const created = await services.schedules.createRealtimeRelative(orgUuid, {
      name: schedule.name,
      pastSeconds: schedule.pastSeconds,
      oneTimeUse: schedule.oneTimeUse ?? false,
    });
    return { scheduleUuid: created.uuid };
  },
});

const findRelativeDateTimeSchedule = defineEndpoint({
  path: '/api/schedule/findRelativeDateTimeSchedule',
  summary: 'Reads a schedule of local dates and times.',
  description: 'A schedule of another kind is not found here.',
  isExtension: true,
  request: Type.Object({ uuid: ruuid('The schedule.') }),
  response: { schedule: RELATIVE_DATE_TIME_SCHEDULE_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      schedule: relativeDateTimeScheduleResponse({
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
      schedule: relativeDateTimeScheduleResponse(
        await services.schedules.findRelativeDateTime(orgUuid, uuid),
      ),
    };
  },
});

const createRelativeDateTimeSchedule = defineEndpoint({
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

export const DATED_SCHEDULE_ENDPOINTS: readonly Endpoint[] = [
  findAbsoluteSchedule,
  createAbsoluteSchedule,
  updateAbsoluteSchedule,
  findRealtimeRelativeSchedule,
  createRealtimeRelativeSchedule,
  findRelativeDateTimeSchedule,
  createRelativeDateTimeSchedule,
];
