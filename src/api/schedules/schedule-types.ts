/** The schedule types of the API, and their conversion to and from the store. */

import { type Static, Type } from 'typebox';
import {
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { keptWithoutEffect } from '../../http/fields/no-effect.ts';
import type {
  AbsoluteSchedule,
  AbsoluteSecondsInterval,
  RealtimeRelativeSchedule,
  RelativeDateTimeSchedule,
  Schedule,
  WeeklySchedule,
} from '../../store/entities.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_SCHEDULE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

type ScheduleStrategy = Schedule['strategy'];

const MINUTES_PER_WEEK = 7 * 24 * 60;
/** Intervals of one schedule. */
const MAX_INTERVALS = 1_000;

const STRATEGIES = [
  'WEEKLY_REPEATING_MINUTES',
  'ABSOLUTE_SECONDS',
  'REALTIME_RELATIVE_SECONDS',
  'RELATIVE_DATETIME_INTERVALS',
] as const;

const WEEKLY_INTERVAL_SCHEMA = namedType('WeeklyMinuteInterval', {
  minuteOfWeekStart: int32(
    'First minute; minute 0 is Monday 00:00 in the time zone of the location.',
    0,
    MINUTES_PER_WEEK,
  ),
  minuteOfWeekStop: int32(
    'First minute after it; if at or before the start, the interval wraps around the end of the week.',
    0,
    MINUTES_PER_WEEK,
  ),
});

const ABSOLUTE_INTERVAL_SCHEMA = namedType('AbsoluteSecondsInterval', {
  b: int64('First epoch second.', 0),
  e: int64('First epoch second after it.', 0),
});

const NAME = text('Its name.', MAX_NAME_LENGTH);
const ONE_TIME_USE = Type.Optional(
  keptWithoutEffect(
    flag('Whether it was created for one use only. Default false.'),
    'the gateway does not remove schedules that were used',
  ),
);

export const WEEKLY_SCHEDULE_INPUT = Type.Object({
  name: NAME,
  intervalList: listOf(WEEKLY_INTERVAL_SCHEMA, 'When the schedule is active.', MAX_INTERVALS),
  oneTimeUse: ONE_TIME_USE,
  strategy: Type.Optional(oneOf(['WEEKLY_REPEATING_MINUTES'], 'Must be WEEKLY_REPEATING_MINUTES if given.')),
});

/** Absent fields stay as they are. */
export const WEEKLY_SCHEDULE_CHANGE = Type.Object({
  uuid: ruuid('The schedule to change.'),
  name: Type.Optional(NAME),
  intervalList: Type.Optional(listOf(WEEKLY_INTERVAL_SCHEMA, 'When the schedule is active.', MAX_INTERVALS)),
  strategy: Type.Optional(oneOf(['WEEKLY_REPEATING_MINUTES'], 'Must be WEEKLY_REPEATING_MINUTES if given.')),
});

export const ABSOLUTE_SCHEDULE_INPUT = Type.Object({
  name: NAME,
  intervalList: listOf(ABSOLUTE_INTERVAL_SCHEMA, 'When the schedule is active.', MAX_INTERVALS),
  oneTimeUse: ONE_TIME_USE,
  strategy: Type.Optional(oneOf(['ABSOLUTE_SECONDS'], 'Must be ABSOLUTE_SECONDS if given.')),
});

/** Absent fields stay as they are. */
export const ABSOLUTE_SCHEDULE_CHANGE = Type.Object({
  uuid: ruuid('The schedule to change.'),
  name: Type.Optional(NAME),
  intervalList: Type.Optional(
    listOf(ABSOLUTE_INTERVAL_SCHEMA, 'When the schedule is active.', MAX_INTERVALS),
  ),
  strategy: Type.Optional(oneOf(['ABSOLUTE_SECONDS'], 'Must be ABSOLUTE_SECONDS if given.')),
});

const LOCAL_DATE_TIME_INTERVAL_SCHEMA = namedType('LocalDateTimeInterval', {
  localStartDateTime: text(
    'First local date and time, where the schedule is used: `2026-03-29T08:30:00`.',
    19,
  ),
  localEndDateTime: text('First local date and time after it.', 19),
});

export const REALTIME_RELATIVE_SCHEDULE_INPUT = Type.Object({
  name: NAME,
  pastSeconds: int32('The schedule covers this many seconds up to now, whenever it is evaluated.', 0),
  oneTimeUse: ONE_TIME_USE,
  strategy: Type.Optional(
    oneOf(['REALTIME_RELATIVE_SECONDS'], 'Must be REALTIME_RELATIVE_SECONDS if given.'),
  ),
});

export const RELATIVE_DATE_TIME_SCHEDULE_INPUT = Type.Object({
  name: NAME,
  intervals: listOf(LOCAL_DATE_TIME_INTERVAL_SCHEMA, 'When the schedule is active.', MAX_INTERVALS),
  oneTimeUse: ONE_TIME_USE,
  strategy: Type.Optional(
    oneOf(['RELATIVE_DATETIME_INTERVALS'], 'Must be RELATIVE_DATETIME_INTERVALS if given.'),
  ),
});

/** The fields of every kind, for a schedule of one of these kinds. */
function scheduleProperties<const Strategy extends ScheduleStrategy>(...strategies: Strategy[]) {
  return {
    uuid: ruuid('The schedule.'),
    orgUuid: ruuid('Its organization.'),
    name: plainText('Its name.'),
    strategy: oneOf(strategies, 'Its kind.'),
    mutable: flag('Whether it can be changed.'),
    oneTimeUse: flag('Whether it was created for one use only.'),
  };
}

export const WEEKLY_SCHEDULE_PROPERTIES = {
  ...scheduleProperties('WEEKLY_REPEATING_MINUTES'),
  intervalList: listOf(WEEKLY_INTERVAL_SCHEMA, 'When the schedule is active.'),
};

/** A schedule of any kind in policies; with its intervals only if it is a weekly one. */
export const POLICY_SCHEDULE_SCHEMA = namedType('PolicySchedule', {
  ...scheduleProperties(...STRATEGIES),
  intervalList: nullable(
    listOf(WEEKLY_INTERVAL_SCHEMA, 'When a weekly schedule is active; absent for other kinds.'),
  ),
});

export const WEEKLY_SCHEDULE_SCHEMA = namedType('WeeklyRepeatingSchedule', WEEKLY_SCHEDULE_PROPERTIES);

export const ABSOLUTE_SCHEDULE_SCHEMA = namedType('AbsoluteSecondsSchedule', {
  ...scheduleProperties('ABSOLUTE_SECONDS'),
  intervalList: listOf(ABSOLUTE_INTERVAL_SCHEMA, 'When the schedule is active.'),
});

export const REALTIME_RELATIVE_SCHEDULE_SCHEMA = namedType('RealtimeRelativeSecondsSchedule', {
  ...scheduleProperties('REALTIME_RELATIVE_SECONDS'),
  pastSeconds: int32('Its length.'),
});

export const RELATIVE_DATE_TIME_SCHEDULE_SCHEMA = namedType('RelativeDateTimeIntervalsSchedule', {
  ...scheduleProperties('RELATIVE_DATETIME_INTERVALS'),
  intervals: listOf(LOCAL_DATE_TIME_INTERVAL_SCHEMA, 'When the schedule is active.'),
});

/** The fields of every kind. */
function shownOf<Strategy extends ScheduleStrategy>({
  uuid,
  orgUuid,
  name,
  strategy,
  mutable,
  oneTimeUse,
}: Schedule & { readonly strategy: Strategy }) {
  return { uuid, orgUuid, name, strategy, mutable, oneTimeUse };
}

export function weeklyScheduleResponse(schedule: WeeklySchedule): Static<typeof WEEKLY_SCHEDULE_SCHEMA> {
  const intervalList = schedule.intervals.map(({ minuteOfWeekStart, minuteOfWeekStop }) => ({
    minuteOfWeekStart,
    minuteOfWeekStop,
  }));
  return { ...shownOf(schedule), intervalList };
}

export function policyScheduleResponse(schedule: Schedule): Static<typeof POLICY_SCHEDULE_SCHEMA> {
  if (schedule.strategy === 'WEEKLY_REPEATING_MINUTES') return weeklyScheduleResponse(schedule);
  return { ...shownOf(schedule), intervalList: null };
}

export function absoluteScheduleResponse(
  schedule: AbsoluteSchedule,
): Static<typeof ABSOLUTE_SCHEDULE_SCHEMA> {
  const intervalList = schedule.intervals.map(({ startSec, stopSec }) => ({ b: startSec, e: stopSec }));
  return { ...shownOf(schedule), intervalList };
}

/** The API's `b` and `e` with the store's names. */
export function absoluteIntervals(
  intervalList: readonly Static<typeof ABSOLUTE_INTERVAL_SCHEMA>[],
): AbsoluteSecondsInterval[] {
  return intervalList.map(({ b, e }) => ({ startSec: b, stopSec: e }));
}

export function realtimeRelativeScheduleResponse(
  schedule: RealtimeRelativeSchedule,
): Static<typeof REALTIME_RELATIVE_SCHEDULE_SCHEMA> {
  return { ...shownOf(schedule), pastSeconds: schedule.pastSeconds };
}

export function relativeDateTimeScheduleResponse(
  schedule: RelativeDateTimeSchedule,
): Static<typeof RELATIVE_DATE_TIME_SCHEDULE_SCHEMA> {
  const intervals = schedule.intervals.map(({ localStart, localStop }) => ({
    localStartDateTime: localStart,
    localEndDateTime: localStop,
  }));
  return { ...shownOf(schedule), intervals };
}

const BASE = {
  uuid: EXAMPLE_SCHEDULE_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  mutable: true,
  oneTimeUse: false,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

/** Monday, 09:00 to 17:00. */
export const EXAMPLE_WEEKLY_SCHEDULE = weeklyScheduleResponse({
  ...BASE,
  name: 'Monday, office hours',
  strategy: 'WEEKLY_REPEATING_MINUTES',
  intervals: [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1020 }],
});

export const EXAMPLE_ABSOLUTE_SCHEDULE = absoluteScheduleResponse({
  ...BASE,
  name: 'Opening night',
  strategy: 'ABSOLUTE_SECONDS',
  intervals: [{ startSec: 1_767_290_400, stopSec: 1_767_312_000 }],
});
