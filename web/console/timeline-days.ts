/** Days of the timeline, by the clock on the wall of its site: 23 and 25 hours long when that clock is set. Pure. */

import { epochMsOf } from './schedule-now.ts';
import { zonedInput } from './time-axis.ts';
import type { Span } from './timeline-state.ts';

/** `YYYY-MM-DD`. */
export type LocalDate = string;

const DATE_CHARS = 10;
const MONTH_CHARS = 7;
const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;
/** Monday. 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY_OFFSET = 3;

export function dateAt(epochMs: number, timeZone: string): LocalDate {
  return zonedInput(epochMs, timeZone).slice(0, DATE_CHARS);
}

export function plusDays(date: LocalDate, days: number): LocalDate {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, DATE_CHARS);
}

/** From midnight to midnight. */
export function daySpan(date: LocalDate, timeZone: string): Span {
  const at = (day: LocalDate) => epochMsOf(`${day}T00:00:00`, timeZone);
  return { fromMs: at(date), toMs: at(plusDays(date, 1)) };
}

/** `YYYY-MM` of the date, so many months later. */
export function monthOf(date: LocalDate, later = 0): string {
  const [year, month] = date.slice(0, MONTH_CHARS).split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month - 1 + later, 1)).toISOString().slice(0, MONTH_CHARS);
}

export function daysOf(month: string): LocalDate[] {
  const days: LocalDate[] = [];
  for (let date = `${month}-01`; date.startsWith(month); date = plusDays(date, 1)) days.push(date);
  return days;
}

/** Weeks from Monday to Sunday; null: a day of another month. */
export function weeksOf(month: string): (LocalDate | null)[][] {
  const days = daysOf(month);
  const lead = (Date.parse(days[0]!) / DAY_MS + FIRST_WEEKDAY_OFFSET) % DAYS_PER_WEEK;
  const cells: (LocalDate | null)[] = [...Array<null>(lead).fill(null), ...days];
  while (cells.length % DAYS_PER_WEEK > 0) cells.push(null);
  return Array.from({ length: cells.length / DAYS_PER_WEEK }, (_, week) =>
    cells.slice(week * DAYS_PER_WEEK, (week + 1) * DAYS_PER_WEEK),
  );
}

/** Days of the month on which anything was recorded. */
export function recordedDays(
  month: string,
  spans: readonly Span[],
  timeZone: string,
): ReadonlySet<LocalDate> {
  const days = daysOf(month).map((date) => ({ date, span: daySpan(date, timeZone) }));
  const isOn = ({ fromMs, toMs }: Span) => spans.some((each) => each.fromMs < toMs && each.toMs > fromMs);
  return new Set(days.filter(({ span }) => isOn(span)).map(({ date }) => date));
}
