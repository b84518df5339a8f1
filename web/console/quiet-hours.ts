/** When a person is notified, as the week that people paint, and as the time frames that the gateway stores. Pure. */

import type { Answer } from './api.ts';
import { frameOfChoice, isOurs, type NoticeChoice } from './notice-choice.ts';
import { weekNow } from './schedule-now.ts';
import {
  ALWAYS,
  DAYS_PER_WEEK,
  MINUTES_PER_DAY,
  NEVER,
  paint,
  partsOfDay,
  type Span,
  type Week,
} from './week.ts';

export type NotificationSettings =
  Answer<'customer/getCurrentUserNotificationSettings'>['notificationSettings'];
export type TimeFrame = NonNullable<NotificationSettings['timeFrames']>[number];

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;

/** `frames` undefined: never set, so always. */
export function weekOfFrames(frames: readonly TimeFrame[] | undefined): Week {
  if (frames === undefined) return ALWAYS;
  let week: Week = NEVER;
  for (const frame of frames.filter(isOurs)) {
    for (const day of daysOf(frame)) {
      const { minuteOfDayStartInclusive: start = 0, minuteOfDayStopExclusive: stop = MINUTES_PER_DAY } =
        frame.interval ?? {};
      week = paint(week, { start: day * MINUTES_PER_DAY + start, stop: day * MINUTES_PER_DAY + stop }, true);
    }
  }
  return week;
}

/** Frames for the week and the choice: days with the same times are one. Frames of other services stay. */
export function framesOf(
  week: Week,
  known: readonly TimeFrame[] | undefined,
  choice: NoticeChoice,
): TimeFrame[] {
  const days = new Map<string, { readonly span: Span; readonly days: (typeof DAYS)[number][] }>();
  for (let day = 0; day < DAYS_PER_WEEK; day++) {
    for (const span of partsOfDay(week, day)) {
      const key = `${span.start} ${span.stop}`;
      const same = days.get(key) ?? { span, days: [] };
      same.days.push(DAYS[day]!);
      days.set(key, same);
    }
  }
  const about = frameOfChoice(choice, known);
  const ours = Array.from(
    days.values(),
    ({ span, days: on }): TimeFrame => ({
      days: on,
      ...about,
      interval: { minuteOfDayStartInclusive: span.start, minuteOfDayStopExclusive: span.stop },
    }),
  );
  return [...(known ?? []).filter((frame) => !isOurs(frame)), ...ours];
}

/** `fromMs` null: it is quiet now. `toMs` null: for good. */
export interface QuietTime {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** The time without notices that is now, or comes next; null: there is none, or the zone is unknown here. */
export function nextQuiet(week: Week, timeZone: string, nowMs: number): QuietTime | null {
  const now = weekNow(week, timeZone, nowMs);
  if (now === null) return null;
  if (!now.isOn) return { fromMs: null, toMs: now.changesAtMs };
  if (now.changesAtMs === null) return null;
  const later = weekNow(week, timeZone, now.changesAtMs);
  return { fromMs: now.changesAtMs, toMs: later?.changesAtMs ?? null };
}

function daysOf({ days = [], interval }: TimeFrame): number[] {
  if (days.length > 0) return days.map((day) => DAYS.indexOf(day as 'MONDAY')).filter((day) => day >= 0);
  const only = interval?.dayOfWeek ?? 0;
  return only > 0 ? [only - 1] : DAYS.map((_day, index) => index);
}
