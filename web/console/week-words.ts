/** A week in words, as one would say it: "Monday to Friday 9:00 to 17:00". Pure. */

import {
  DAYS_PER_WEEK,
  MINUTES_PER_DAY,
  MINUTES_PER_HOUR,
  MINUTES_PER_WEEK,
  partsOfDay,
  runsOf,
  type Span,
  type Week,
} from './week.ts';
import { t } from './words.ts';

export const DAY_NAMES = [
  t('Monday'),
  t('Tuesday'),
  t('Wednesday'),
  t('Thursday'),
  t('Friday'),
  t('Saturday'),
  t('Sunday'),
] as const;

/** As in "9:00" and "24:00". `minute`: of the day. */
export function timeText(minute: number): string {
  const hour = Math.floor(minute / MINUTES_PER_HOUR);
  return `${hour}:${String(minute % MINUTES_PER_HOUR).padStart(2, '0')}`;
}

/** Within one day, as in "Monday 9:00 to 17:00". `stop` may be the midnight at its end. */
export function spanText({ start, stop }: Span): string {
  const day = Math.floor(start / MINUTES_PER_DAY);
  const midnight = day * MINUTES_PER_DAY;
  return t('{day} {from} to {to}', {
    day: DAY_NAMES[day]!,
    from: timeText(start - midnight),
    to: timeText(stop - midnight),
  });
}

/** The times of a day, as in "9:00 to 12:00 and 13:00 to 17:00"; "all day" or "off" if that is so. */
export function dayText(week: Week, day: number): string {
  const parts = partsOfDay(week, day);
  if (parts.length === 0) return t('off');
  if (parts[0]!.start === 0 && parts[0]!.stop === MINUTES_PER_DAY) return t('all day');
  return listed(
    parts.map(({ start, stop }) => t('{from} to {to}', { from: timeText(start), to: timeText(stop) })),
  );
}

/** Sentences without a period, in the order of the week; days with the same times are one. */
export function weekText(week: Week): string[] {
  if (week.length === 0) return [t('Never')];
  if (week[0]!.stop - week[0]!.start === MINUTES_PER_WEEK) return [t('Always')];
  const daysByTimes = new Map<string, number[]>();
  const lines: { readonly start: number; readonly text: () => string }[] = [];
  for (const { start, stop } of runsOf(week)) {
    const times = timesText(start, stop);
    if (times === null) {
      lines.push({ start, text: () => longText(start, stop) });
      continue;
    }
    const days = daysByTimes.get(times) ?? [];
    if (days.length === 0) lines.push({ start, text: () => `${daysText(days)} ${times}` });
    // A part that lasts whole days counts for each of them.
    const count = times === ALL_DAY ? (stop - start) / MINUTES_PER_DAY : 1;
    for (let i = 0; i < count; i++) days.push((Math.floor(start / MINUTES_PER_DAY) + i) % DAYS_PER_WEEK);
    daysByTimes.set(times, days);
  }
  return lines.sort((a, b) => a.start - b.start).map(({ text }) => text());
}

/** As in "Monday to Friday", "Saturday and Sunday", "Every day". `days`: 0 is Monday. */
export function daysText(days: readonly number[]): string {
  const ordered = [...new Set(days)].sort((a, b) => a - b);
  if (ordered.length === DAYS_PER_WEEK) return t('Every day');
  const groups: number[][] = [];
  for (const day of ordered) {
    const last = groups.at(-1);
    if (last !== undefined && last.at(-1) === day - 1) last.push(day);
    else groups.push([day]);
  }
  return listed(
    groups.flatMap((group) =>
      group.length > 2
        ? [
            t('{from} to {to}', {
              from: DAY_NAMES[group[0]!]!,
              to: DAY_NAMES[group.at(-1)!]!,
            }),
          ]
        : group.map((day) => DAY_NAMES[day]!),
    ),
  );
}

const ALL_DAY = t('all day');

/** The times of something that begins on one day and ends on it or in the next night; null: it lasts longer. */
function timesText(start: number, stop: number): string | null {
  const from = start % MINUTES_PER_DAY;
  const to = stop % MINUTES_PER_DAY;
  if (from === 0 && to === 0) return ALL_DAY;
  const untilMidnight = MINUTES_PER_DAY - from;
  if (stop - start <= untilMidnight) {
    return t('{from} to {to}', { from: timeText(from), to: timeText(from + (stop - start)) });
  }
  if (stop - start > MINUTES_PER_DAY) return null;
  return t('{from} to {to} the next day', { from: timeText(from), to: timeText(to) });
}

/** As in "Friday 18:00 to Monday 8:00". */
function longText(start: number, stop: number): string {
  const at = (minute: number) => {
    const day = Math.floor(minute / MINUTES_PER_DAY) % DAYS_PER_WEEK;
    return `${DAY_NAMES[day]} ${timeText(minute % MINUTES_PER_DAY)}`;
  };
  return t('{from} to {to}', { from: at(start), to: at(stop) });
}

function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? '';
  return t('{list} and {last}', { list: parts.slice(0, -1).join(', '), last: parts.at(-1)! });
}
