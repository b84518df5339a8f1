/** Schedules as the API has them, and what uses them. */

import { type Answer, call, type Request } from './api.ts';
import { paintedName, type ScheduleChoice } from './schedule-choice.ts';
import type { ScheduleItem } from './schedule-now.ts';
import { intervalsOf, type WeeklyInterval } from './week.ts';

/** Zone of cameras without a location, and of locations without one. */
export const DEFAULT_TIME_ZONE = 'UTC';

export type LocationZone = Answer<'location/getLocationsV2'>['locations'][number];

/** How many things other than shares use a schedule, and the policies by name. */
export interface OtherUses {
  readonly policyNames: readonly string[];
  readonly doors: number;
  readonly rules: number;
}

/** All kinds, by name. */
export async function listSchedules(signal: AbortSignal): Promise<readonly ScheduleItem[]> {
  const response = await call('schedule/getSchedules', {}, signal);
  const all = [
    ...response.weeklySchedules,
    ...response.absoluteSchedules,
    ...response.relativeSchedules,
    ...response.relativeDatetimeSchedules,
  ];
  return all.sort((a, b) => a.name.localeCompare(b.name));
}

export async function listZones(signal: AbortSignal): Promise<readonly LocationZone[]> {
  return (await call('location/getLocationsV2', {}, signal)).locations;
}

/** Uses besides shares. Fails with a CallError if the schedule does not exist. */
export async function readOtherUses(schedule: ScheduleItem, signal: AbortSignal): Promise<OtherUses> {
  const body = { scheduleUuid: schedule.uuid };
  const [policies, rest] = await Promise.all([
    call('policy/getPoliciesUsingSchedule', body, signal),
    schedule.strategy === 'WEEKLY_REPEATING_MINUTES' ? readWeeklyUses(body, signal) : null,
  ]);
  return {
    policyNames: policies.climatePolicyList.map(({ name }) => name),
    doors: rest?.doorSettingUuids.length ?? 0,
    rules: rest?.ruleUuids.length ?? 0,
  };
}

type WeeklyUses = Answer<'schedule/getScheduleDataV2'>['weeklyScheduleData'];

async function readWeeklyUses(
  body: Request<'schedule/getScheduleDataV2'>,
  signal: AbortSignal,
): Promise<WeeklyUses> {
  const response = await call('schedule/getScheduleDataV2', body, signal);
  return response.weeklyScheduleData;
}

/** Its UUID. Fails with a CallError. */
export async function createWeekly(name: string, intervalList: readonly WeeklyInterval[]): Promise<string> {
  const { scheduleUuid } = await call('schedule/createWeeklySchedule', {
    schedule: { name, intervalList },
  });
  return scheduleUuid;
}

/** The choice with its painted week stored: what follows may fail and be tried again. Fails with a CallError. */
export async function storePainted(choice: ScheduleChoice): Promise<ScheduleChoice> {
  const { painted } = choice;
  if (painted === null) return choice;
  const scheduleUuid = await createWeekly(paintedName(painted), intervalsOf(painted.week));
  return { ...choice, scheduleUuid, painted: null };
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
