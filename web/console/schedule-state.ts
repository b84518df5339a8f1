/** Schedules as the API has them, and what uses them. */

import { call } from './api.ts';
import type { ScheduleItem } from './schedule-now.ts';
import type { WeeklyInterval } from './week.ts';

/** Zone of cameras without a location, and of locations without one. */
export const DEFAULT_TIME_ZONE = 'UTC';

export interface LocationZone {
  readonly uuid: string;
  readonly name: string;
  /** IANA name. */
  readonly tz: string;
}

/** How many things other than shares use a schedule, and the policies by name. */
export interface OtherUses {
  readonly policyNames: readonly string[];
  readonly doors: number;
  readonly rules: number;
}

interface SchedulesAnswer {
  readonly weeklySchedules: readonly ScheduleItem[];
  readonly absoluteSchedules: readonly ScheduleItem[];
  readonly relativeSchedules: readonly ScheduleItem[];
  readonly relativeDatetimeSchedules: readonly ScheduleItem[];
}

/** All kinds, by name. */
export async function listSchedules(signal: AbortSignal): Promise<readonly ScheduleItem[]> {
  const answer = await call<SchedulesAnswer>('schedule/getSchedules', {}, signal);
  const all = [
    ...answer.weeklySchedules,
    ...answer.absoluteSchedules,
    ...answer.relativeSchedules,
    ...answer.relativeDatetimeSchedules,
  ];
  return all.sort((a, b) => a.name.localeCompare(b.name));
}

export async function listZones(signal: AbortSignal): Promise<readonly LocationZone[]> {
  return (await call<{ locations: readonly LocationZone[] }>('location/getLocationsV2', {}, signal))
    .locations;
}

/** Besides shares. Fails with a CallError if there is no such schedule. */
export async function readOtherUses(schedule: ScheduleItem, signal: AbortSignal): Promise<OtherUses> {
  const body = { scheduleUuid: schedule.uuid };
  const [policies, rest] = await Promise.all([
    call<{ climatePolicyList: readonly { readonly name: string }[] }>(
      'policy/getPoliciesUsingSchedule',
      body,
      signal,
    ),
    schedule.strategy === 'WEEKLY_REPEATING_MINUTES' ? readWeeklyUses(body, signal) : null,
  ]);
  return {
    policyNames: policies.climatePolicyList.map(({ name }) => name),
    doors: rest?.doorSettingUuids.length ?? 0,
    rules: rest?.ruleUuids.length ?? 0,
  };
}

interface WeeklyUses {
  readonly doorSettingUuids: readonly string[];
  readonly ruleUuids: readonly string[];
}

async function readWeeklyUses(body: object, signal: AbortSignal): Promise<WeeklyUses> {
  const answer = await call<{ weeklyScheduleData: WeeklyUses }>('schedule/getScheduleDataV2', body, signal);
  return answer.weeklyScheduleData;
}

/** Its UUID. Fails with a CallError. */
export async function createWeekly(name: string, intervalList: readonly WeeklyInterval[]): Promise<string> {
  const { scheduleUuid } = await call<{ scheduleUuid: string }>('schedule/createWeeklySchedule', {
    schedule: { name, intervalList },
  });
  return scheduleUuid;
}

/** Fails with a CallError. */
export async function updateWeekly(
  uuid: string,
  name: string,
  intervalList: readonly WeeklyInterval[],
): Promise<void> {
  await call('policy/updateSchedule', { schedule: { uuid, name, intervalList } });
}

/** Fails with a CallError, also while something uses it. */
export async function deleteSchedule(scheduleUuid: string): Promise<void> {
  await call('schedule/deleteSchedule', { scheduleUuid });
}
