/** POST /api/schedule/getScheduleDataV2: a weekly schedule and where it is used. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, namedType, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_SCHEDULE_UUID, EXAMPLE_SHARE_UUID } from '../types/examples.ts';
import { EXAMPLE_WEEKLY_SCHEDULE } from './schedule-examples.ts';
import { WEEKLY_SCHEDULE_PROPERTIES, weeklyScheduleAnswer } from './schedule-types.ts';

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

export const getScheduleDataV2 = defineEndpoint({
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
        ...weeklyScheduleAnswer(schedule),
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
