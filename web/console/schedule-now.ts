/**
 * Whether a schedule is on, and when that changes next, as the gateway decides it (docs/design/access.md#schedules):
 * weekly minutes and local dates are those of the clock on the wall at the camera. Pure.
 */

import type { Answer } from './api.ts';
import { runsOf, type Span, type Week, weekOf } from './week.ts';

type Schedules = Answer<'schedule/getSchedules'>;

export type ScheduleItem =
  | Schedules['weeklySchedules'][number]
  | Schedules['absoluteSchedules'][number]
  | Schedules['relativeSchedules'][number]
  | Schedules['relativeDatetimeSchedules'][number];

export interface ScheduleNow {
  readonly isOn: boolean;
  /** First moment at which `isOn` is different; null: never. */
  readonly changesAtMs: number | null;
}

const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 24 * 60 * MS_PER_MINUTE;
const MS_PER_WEEK = 7 * MS_PER_DAY;
/** 1970-01-01 was a Thursday, three days after a Monday. */
const EPOCH_TO_WEEK_MS = 3 * MS_PER_DAY;
/** A week has one change of the clock at most; the state may not change at it. */
const MAX_CLOCK_CHANGES = 8;

/** `timeZone`: IANA name. Null if it is unknown here. */
export function scheduleNow(schedule: ScheduleItem, timeZone: string, atMs: number): ScheduleNow | null {
  switch (schedule.strategy) {
    case 'WEEKLY_REPEATING_MINUTES':
      return weekNow(weekOf(schedule.intervalList), timeZone, atMs);
    case 'ABSOLUTE_SECONDS':
      return spansNow(
        schedule.intervalList.map(({ b, e }) => ({ start: b * 1_000, stop: e * 1_000 })),
        atMs,
      );
    case 'REALTIME_RELATIVE_SECONDS':
      return { isOn: true, changesAtMs: null };
    case 'RELATIVE_DATETIME_INTERVALS':
      if (formatterOf(timeZone) === null) return null;
      return spansNow(
        schedule.intervals.map(({ localStartDateTime, localEndDateTime }) => ({
          start: epochMsOf(localStartDateTime, timeZone),
          stop: epochMsOf(localEndDateTime, timeZone),
        })),
        atMs,
      );
  }
}

/** Null if the zone is unknown here. */
export function weekNow(week: Week, timeZone: string, atMs: number): ScheduleNow | null {
  if (week.length === 0) return { isOn: false, changesAtMs: null };
  const spans = runsOf(week).map(({ start, stop }) => ({
    start: start * MS_PER_MINUTE,
    stop: stop * MS_PER_MINUTE,
  }));
  if (spans[0]!.stop - spans[0]!.start === MS_PER_WEEK) return { isOn: true, changesAtMs: null };
  if (formatterOf(timeZone) === null) return null;
  const isOn = isWithin(spans, weekMsAt(timeZone, atMs));
  let fromMs = atMs;
  for (let changes = 0; changes < MAX_CLOCK_CHANGES; changes++) {
    const flipMs = fromMs + msToFlip(spans, weekMsAt(timeZone, fromMs), isOn);
    const clockChangeMs = firstClockChange(timeZone, fromMs, flipMs);
    if (clockChangeMs === null) return { isOn, changesAtMs: flipMs };
    fromMs = clockChangeMs;
    if (isWithin(spans, weekMsAt(timeZone, fromMs)) !== isOn) break;
  }
  return { isOn, changesAtMs: fromMs };
}

function spansNow(given: readonly Span[], atMs: number): ScheduleNow {
  // In order; those that touch or overlap are walked through as one.
  const spans = given.toSorted((a, b) => a.start - b.start);
  let stopMs: number | null = null;
  for (const { start, stop } of spans) {
    if (stop <= atMs || stop <= start) continue;
    if (start > (stopMs ?? atMs)) return stopMs === null ? { isOn: false, changesAtMs: start } : on(stopMs);
    stopMs = Math.max(stopMs ?? stop, stop);
  }
  return stopMs === null ? { isOn: false, changesAtMs: null } : on(stopMs);
}

function on(changesAtMs: number): ScheduleNow {
  return { isOn: true, changesAtMs };
}

/** Spans that run beyond the end of the week are on at its beginning, too. */
function isWithin(spans: readonly Span[], weekMs: number): boolean {
  return spans.some(
    ({ start, stop }) =>
      (weekMs >= start && weekMs < stop) || (weekMs + MS_PER_WEEK >= start && weekMs + MS_PER_WEEK < stop),
  );
}

/** Local time until the state is another; above 0. Part of the week is on, but not all. */
function msToFlip(spans: readonly Span[], weekMs: number, isOn: boolean): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { start, stop } of spans) {
    const distance = ((((isOn ? stop : start) - weekMs) % MS_PER_WEEK) + MS_PER_WEEK) % MS_PER_WEEK;
    nextMs = Math.min(nextMs, distance === 0 ? MS_PER_WEEK : distance);
  }
  return nextMs;
}

/** The first moment after `fromMs`, up to `toMs`, at which the zone's clock was set; null: it was not. */
function firstClockChange(timeZone: string, fromMs: number, toMs: number): number | null {
  const before = offsetMsAt(timeZone, fromMs);
  if (offsetMsAt(timeZone, toMs) === before) return null;
  let [low, high] = [fromMs, toMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMsAt(timeZone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Local milliseconds since Monday 0:00. */
function weekMsAt(timeZone: string, epochMs: number): number {
  const localMs = epochMs + offsetMsAt(timeZone, epochMs);
  return (((localMs + EPOCH_TO_WEEK_MS) % MS_PER_WEEK) + MS_PER_WEEK) % MS_PER_WEEK;
}

/** A reading that the clock skips counts as if the clock had continued; a repeated reading counts as the first one. */
export function epochMsOf(localDateTime: string, timeZone: string): number {
  const localMs = Date.parse(`${localDateTime}Z`);
  const before = offsetMsAt(timeZone, localMs - MS_PER_DAY);
  const after = offsetMsAt(timeZone, localMs + MS_PER_DAY);
  if (offsetMsAt(timeZone, localMs - before) === before) return localMs - before;
  return offsetMsAt(timeZone, localMs - after) === after ? localMs - after : localMs - before;
}

/** Offset of local time from UTC. */
export function offsetMsAt(timeZone: string, epochMs: number): number {
  const wholeSec = Math.floor(epochMs / 1_000) * 1_000;
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of formatterOf(timeZone)!.formatToParts(wholeSec)) {
    if (type in parts) parts[type as keyof typeof parts] = Number(value);
  }
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSec;
}

/** To make one takes longer than to use it a hundred times. There are as many as zones. */
const formatters = new Map<string, Intl.DateTimeFormat | null>();

function formatterOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = makeFormatter(timeZone);
  formatters.set(timeZone, made);
  return made;
}

function makeFormatter(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    // RangeError: this browser does not know the zone.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
