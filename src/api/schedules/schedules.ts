/** Schedules of every kind, their uses, and their removal. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { SCHEDULE_USER_KINDS, type ScheduleUser } from '../../policies/schedule-uses.ts';
import {
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_SCHEDULE_UUID,
  EXAMPLE_SHARE_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import {
  ABSOLUTE_SCHEDULE_SCHEMA,
  absoluteScheduleResponse,
  EXAMPLE_ABSOLUTE_SCHEDULE,
  EXAMPLE_WEEKLY_SCHEDULE,
  REALTIME_RELATIVE_SCHEDULE_SCHEMA,
  RELATIVE_DATE_TIME_SCHEDULE_SCHEMA,
  realtimeRelativeScheduleResponse,
  relativeDateTimeScheduleResponse,
  WEEKLY_SCHEDULE_PROPERTIES,
  WEEKLY_SCHEDULE_SCHEMA,
  weeklyScheduleResponse,
} from './schedule-types.ts';

const getSchedules = defineEndpoint({
  path: '/api/schedule/getSchedules',
  summary: 'Lists the schedules of the organization.',
  description: 'All four kinds, each sorted by name.',
  request: Type.Object({}),
  response: {
    weeklySchedules: listOf(WEEKLY_SCHEDULE_SCHEMA, 'The weekly schedules.'),
    absoluteSchedules: listOf(ABSOLUTE_SCHEDULE_SCHEMA, 'The absolute schedules.'),
    relativeSchedules: listOf(REALTIME_RELATIVE_SCHEDULE_SCHEMA, 'Schedules of recent time.'),
    relativeDatetimeSchedules: listOf(
      RELATIVE_DATE_TIME_SCHEDULE_SCHEMA,
      'Schedules of local dates and times.',
    ),
  },
  example: {
    request: {},
    response: {
      weeklySchedules: [EXAMPLE_WEEKLY_SCHEDULE],
      absoluteSchedules: [EXAMPLE_ABSOLUTE_SCHEDULE],
      relativeSchedules: [],
      relativeDatetimeSchedules: [],
    },
  },
  async handler({ orgUuid, services }) {
    const schedules = await services.schedules.listByKind(orgUuid);
    return {
      weeklySchedules: LongList.of(schedules.weekly).map(weeklyScheduleResponse),
      absoluteSchedules: LongList.of(schedules.absolute).map(absoluteScheduleResponse),
      relativeSchedules: LongList.of(schedules.realtimeRelative).map(realtimeRelativeScheduleResponse),
      relativeDatetimeSchedules: LongList.of(schedules.relativeDateTime).map(
        relativeDateTimeScheduleResponse,
      ),
    };
  },
});

const ALWAYS_EMPTY = listOf(ruuid('UUID.'), 'Always empty.');

const SCHEDULE_DATA_SCHEMA = namedType('WeeklyRepeatingScheduleData', {
  ...WEEKLY_SCHEDULE_PROPERTIES,
  sharedStreamUuids: listOf(ruuid('Share.'), 'Shared live streams that use it.'),
  locationsUsedIn: listOf(
    ruuid('Location.'),
    'Locations of the cameras of those streams, and of cameras, doors, landings, rules and access revocations that ' +
      'use it.',
  ),
  accessGrantUuids: ALWAYS_EMPTY,
  alarmMonitoringUuids: ALWAYS_EMPTY,
  alertPolicyUuids: listOf(ruuid('Policy.'), 'Climate policies that use it.'),
  customEventUuids: ALWAYS_EMPTY,
  doorSettingUuids: listOf(ruuid('Door or landing.'), 'Doors and elevator landings that use it.'),
  ruleUuids: listOf(ruuid('Rule.'), 'Lockdown rules that use it.'),
});

const NOT_USED_ELSEWHERE = {
  accessGrantUuids: [],
  alarmMonitoringUuids: [],
  customEventUuids: [],
};

const getScheduleDataV2 = defineEndpoint({
  path: '/api/schedule/getScheduleDataV2',
  summary: 'Reads a weekly schedule and where it is used.',
  description: 'A schedule that is in use cannot be deleted.',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: { weeklyScheduleData: SCHEDULE_DATA_SCHEMA },
  example: {
    request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      weeklyScheduleData: {
        ...EXAMPLE_WEEKLY_SCHEDULE,
        ...NOT_USED_ELSEWHERE,
        sharedStreamUuids: [EXAMPLE_SHARE_UUID],
        alertPolicyUuids: [],
        doorSettingUuids: [],
        ruleUuids: [],
        locationsUsedIn: [EXAMPLE_LOCATION_UUID],
      },
    },
  },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    const { schedule, uses, locationUuids } = await services.usedSchedules.findWeekly(orgUuid, scheduleUuid);
    return {
      weeklyScheduleData: {
        ...weeklyScheduleResponse(schedule),
        ...NOT_USED_ELSEWHERE,
        sharedStreamUuids: uses.shares.map(({ uuid }) => uuid),
        alertPolicyUuids: uses.policies.map(({ body }) => body.policyUuid),
        doorSettingUuids: [...uses.doors, ...uses.landings].map(({ uuid }) => uuid),
        ruleUuids: uses.rules.map(({ uuid }) => uuid),
        locationsUsedIn: [...locationUuids],
      },
    };
  },
});

const USER_SCHEMA = namedType('ScheduleUser', {
  kind: oneOf(SCHEDULE_USER_KINDS, 'What it is.'),
  uuid: ruuid('Its UUID; of a camera’s configuration, the camera’s.'),
  name: plainText('Its name; of a shared video wall, that of the wall; empty if it has none.'),
  invertSchedule: flag('Whether it is hidden during the schedule; always false for what is not shared.'),
});

const getScheduleUses = defineEndpoint({
  path: '/api/schedule/getScheduleUses',
  summary: 'Lists what uses a schedule.',
  description:
    'Of any kind. A schedule that is in use cannot be deleted. Recording rules of the configuration file are not listed.',
  isExtension: true,
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: { uses: listOf(USER_SCHEMA, 'What uses it: shares first, then the others by kind.') },
  example: {
    request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      uses: [{ kind: 'SHARED_STREAM', uuid: EXAMPLE_SHARE_UUID, name: 'Front desk', invertSchedule: false }],
    },
  },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    const users = await services.usedSchedules.listUsers(orgUuid, scheduleUuid);
    return { uses: users.map(userResponse) };
  },
});

function userResponse({ kind, uuid, name, isInverted }: ScheduleUser): Static<typeof USER_SCHEMA> {
  return { kind, uuid, name, invertSchedule: isInverted };
}

const getScheduleState = defineEndpoint({
  path: '/api/schedule/getScheduleState',
  summary: 'Says whether a schedule is active at a chosen time, since when, and until when.',
  description:
    'Of any kind. Weekly schedules and local dates mean a time zone: of each camera, that of its location. Here you choose one.',
  isExtension: true,
  request: Type.Object({
    scheduleUuid: ruuid('The schedule.'),
    atMs: Type.Optional(int64('The time, in epoch milliseconds; now if absent.', 0, MAX_TIME_MS)),
    tz: Type.Optional(text('An IANA time zone such as America/New_York. Default UTC.')),
  }),
  response: {
    isActive: flag('Whether it is active.'),
    atMs: int64('The time that the response is about, epoch milliseconds.'),
    tz: plainText('The time zone.'),
    sinceMs: nullable(
      int64(
        'Since when it is active, or is not, epoch milliseconds; absent if that is more than 400 days ago.',
      ),
    ),
    nextChangeMs: nullable(int64('When that changes next, epoch milliseconds; absent: never.')),
  },
  example: {
    request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID, tz: 'America/New_York' },
    response: {
      isActive: true,
      atMs: EXAMPLE_TIME_MS,
      tz: 'America/New_York',
      sinceMs: EXAMPLE_TIME_MS - 3_600_000,
      nextChangeMs: EXAMPLE_TIME_MS + 3_600_000,
    },
  },
  async handler({ orgUuid, services }, { scheduleUuid, atMs, tz = 'UTC' }) {
    const state = await services.schedules.stateAt(orgUuid, scheduleUuid, tz, atMs);
    const { isInside, sinceEpochMs, changesAtEpochMs } = state;
    return {
      isActive: isInside,
      atMs: state.atEpochMs,
      tz,
      sinceMs: sinceEpochMs,
      nextChangeMs: changesAtEpochMs,
    };
  },
});

const deleteSchedule = defineEndpoint({
  path: '/api/schedule/deleteSchedule',
  summary: 'Deletes a schedule.',
  description:
    'Of any kind. Refused while a shared live stream, a door, an elevator landing, a lockdown rule, an access ' +
    'revocation, a climate policy or the configuration of a camera uses it; the refusal names them.',
  repetition: 'same-outcome',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: {},
  example: { request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID }, response: {} },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    await services.usedSchedules.remove(orgUuid, scheduleUuid);
    return {};
  },
});

const deletePolicySchedule = defineEndpoint({
  path: '/api/policy/deleteSchedule',
  summary: 'Deletes a schedule.',
  description: 'The same as `/api/schedule/deleteSchedule`.',
  repetition: 'same-outcome',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: {},
  example: { request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID }, response: {} },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    await services.usedSchedules.remove(orgUuid, scheduleUuid);
    return {};
  },
});

export const SCHEDULE_ENDPOINTS: readonly Endpoint[] = [
  getSchedules,
  getScheduleDataV2,
  getScheduleUses,
  getScheduleState,
  deleteSchedule,
  deletePolicySchedule,
];
