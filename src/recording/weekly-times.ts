/** Times of the week as people write them: `Mon-Fri 08:00-18:00, Sat 22:00-06:00`. */

import type { WeeklyMinuteInterval } from '../store/entities.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const MINUTES_PER_DAY = 24 * 60;
const MINUTES_PER_WEEK = DAYS.length * MINUTES_PER_DAY;
const MAX_CHARS = 1_024;
const ENTRY = /^(\w{3,5})(?:-(\w{3}))? (\d{2}):(\d{2})-(\d{2}):(\d{2})$/;

/**
 * Entries separated by commas: a day, a range of days or `daily`, then two times. A stop at or before the start is on the
 * next day; `00:00-24:00` is the whole day. null: it is not written like that.
 */
export function parseWeeklyTimes(text: string): WeeklyMinuteInterval[] | null {
  if (text.length > MAX_CHARS) return null;
  const intervals: WeeklyMinuteInterval[] = [];
  for (const entry of text.split(',')) {
    const match = ENTRY.exec(entry.trim().toLowerCase());
    if (match === null) return null;
    const days = daysOf(match[1]!, match[2]);
    const startMinute = minuteOf(match[3]!, match[4]!);
    const stopMinute = minuteOf(match[5]!, match[6]!);
    if (days === null || startMinute === null || stopMinute === null || startMinute === MINUTES_PER_DAY)
      return null;
    const lengthMinutes = stopMinute - startMinute + (stopMinute <= startMinute ? MINUTES_PER_DAY : 0);
    for (const day of days) {
      const minuteOfWeekStart = day * MINUTES_PER_DAY + startMinute;
      const stop = minuteOfWeekStart + lengthMinutes;
      const minuteOfWeekStop = stop > MINUTES_PER_WEEK ? stop - MINUTES_PER_WEEK : stop;
      intervals.push({ minuteOfWeekStart, minuteOfWeekStop });
    }
  }
  return intervals;
}

/** A range can wrap around the end of the week: `Sat-Mon`. */
function daysOf(first: string, last: string | undefined): number[] | null {
  if (first === 'daily') return last === undefined ? DAYS.map((_, day) => day) : null;
  const start = (DAYS as readonly string[]).indexOf(first);
  const end = last === undefined ? start : (DAYS as readonly string[]).indexOf(last);
  if (start < 0 || end < 0) return null;
  const count = ((end - start + DAYS.length) % DAYS.length) + 1;
  return Array.from({ length: count }, (_, i) => (start + i) % DAYS.length);
}

function minuteOf(hours: string, minutes: string): number | null {
  const minute = Number(hours) * 60 + Number(minutes);
  return Number(minutes) < 60 && minute <= MINUTES_PER_DAY ? minute : null;
}
