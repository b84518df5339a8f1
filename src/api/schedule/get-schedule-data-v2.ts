/** POST /api/schedule/getScheduleDataV2: a weekly schedule and where it is used. */

import { Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Share } from '../../store/entities.ts';
import { type CallContext, defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_SCHEDULE_UUID, EXAMPLE_SHARE_UUID } from '../base/examples.ts';
import { listOf, namedType, ruuid } from '../base/field-types.ts';
import { EXAMPLE_WEEKLY_SCHEDULE } from './schedule-examples.ts';
import { WEEKLY_SCHEDULE_PROPERTIES, weeklyScheduleAnswer } from './schedule-types.ts';

const ALWAYS_EMPTY = listOf(ruuid('UUID.'), 'Always empty.');

const SCHEDULE_DATA_SCHEMA = namedType('WeeklyRepeatingScheduleData', {
  ...WEEKLY_SCHEDULE_PROPERTIES,
  sharedStreamUuids: listOf(ruuid('Share.'), 'Shared live streams that use it.'),
  locationsUsedIn: listOf(ruuid('Location.'), 'Locations of the cameras of those streams.'),
  accessGrantUuids: ALWAYS_EMPTY,
  alarmMonitoringUuids: ALWAYS_EMPTY,
  alertPolicyUuids: ALWAYS_EMPTY,
  customEventUuids: ALWAYS_EMPTY,
  doorSettingUuids: ALWAYS_EMPTY,
  ruleUuids: ALWAYS_EMPTY,
});

const NOT_USED_ELSEWHERE = {
  accessGrantUuids: [],
  alarmMonitoringUuids: [],
  alertPolicyUuids: [],
  customEventUuids: [],
  doorSettingUuids: [],
  ruleUuids: [],
};

export const getScheduleDataV2 = defineEndpoint({
  path: '/api/schedule/getScheduleDataV2',
  summary: 'Reads a weekly schedule and where it is used.',
  description: 'What is listed in `sharedStreamUuids` keeps the schedule from being deleted.',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: { weeklyScheduleData: SCHEDULE_DATA_SCHEMA },
  example: {
    request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      weeklyScheduleData: {
        ...EXAMPLE_WEEKLY_SCHEDULE,
        ...NOT_USED_ELSEWHERE,
        sharedStreamUuids: [EXAMPLE_SHARE_UUID],
        locationsUsedIn: [EXAMPLE_LOCATION_UUID],
      },
    },
  },
  async handler(context, { scheduleUuid }) {
    const { orgUuid, services } = context;
    const schedule = await services.schedules.findWeekly(orgUuid, scheduleUuid);
    const shares = await services.store.shares.listBySchedule(orgUuid, scheduleUuid);
    return {
      weeklyScheduleData: {
        ...weeklyScheduleAnswer(schedule),
        ...NOT_USED_ELSEWHERE,
        sharedStreamUuids: shares.map((share) => share.uuid),
        locationsUsedIn: await locationsOf(context, shares),
      },
    };
  },
});

async function locationsOf({ orgUuid, services }: CallContext, shares: readonly Share[]): Promise<Ruuid[]> {
  const locations = new Set<Ruuid>();
  for (const cameraUuid of new Set(shares.map((share) => share.cameraUuid))) {
    const camera = await services.store.cameras.find(orgUuid, cameraUuid);
    if (camera !== null && camera.locationUuid !== null) locations.add(camera.locationUuid);
  }
  return [...locations];
}
