/**
 * Whether a schedule is on at a point in time, and when that changes next. Pure. Intervals are half-open: the first
 * instant is included, the last is not (docs/design/access.md#schedules).
 *
 * Weekly intervals refer to the wall clock of the camera's location: an instant is inside if the local reading at that
 * instant is. So a minute that daylight saving time skips never occurs, and one that it repeats counts both times. Stop
 * at or below start wraps around the end of the week; start equal to stop is therefore the whole week.
 */

import { Temporal } from 'temporal-polyfill';
import type {
  AbsoluteSecondsInterval,
  LocalDateTimeInterval,
  Schedule,
  WeeklyMinuteInterval,
} from '../store/entities.ts';

export const MINUTES_PER_WEEK = 7 * 24 * 60;

export interface ScheduleState {
  readonly isInside: boolean;
  /** First instant at which `isInside` is different; null: never. */
  readonly changesAtEpochMs: number | null;
}

/** Half-open; the caller chooses the unit. */
interface Span {
  readonly start: number;
  readonly stop: number;
}

const MS_PER_MINUTE = 60_000;
const MS_PER_WEEK = MINUTES_PER_WEEK * MS_PER_MINUTE;
/** 1970-01-01 was a Thursday, three days after a Monday. */
const EPOCH_TO_WEEK_MS = 3 * 24 * 60 * MS_PER_MINUTE;
/** Changes of the zone's offset to search before giving up, with the result "ask again then": decades. */
const MAX_OFFSET_CHANGES = 64;

/**
 * `timeZone`: IANA name; only weekly schedules use it. null if the zone does not exist: the caller must then treat the
 * schedule as missing.
 */
export function scheduleStateAt(
  schedule: Schedule,
  timeZone: string,
  nowEpochMs: number,
): ScheduleState | null {
  switch (schedule.strategy) {
    case 'ABSOLUTE_SECONDS':
      return absoluteState(schedule.intervals, nowEpochMs);
    case 'REALTIME_RELATIVE_SECONDS':
      return { isInside: true, changesAtEpochMs: null };
    case 'RELATIVE_DATETIME_INTERVALS':
      return localDateTimeState(schedule.intervals, timeZone, nowEpochMs);
    case 'WEEKLY_REPEATING_MINUTES':
      return weekState(schedule.intervals, timeZone, nowEpochMs);
  }
}

function weekState(
  intervals: readonly WeeklyMinuteInterval[],
  timeZone: string,
  nowEpochMs: number,
): ScheduleState | null {
  const spans = weekSpans(intervals);
  if (spans.length === 0) return { isInside: false, changesAtEpochMs: null };
  if (isWholeWeek(spans)) return { isInside: true, changesAtEpochMs: null };
  const zoned = zonedTime(timeZone, nowEpochMs);
  return zoned === null ? null : weeklyState(spans, zoned);
}

function absoluteState(intervals: readonly AbsoluteSecondsInterval[], nowEpochMs: number): ScheduleState {
  return epochState(
    intervals.map(({ startSec, stopSec }) => ({ start: startSec * 1_000, stop: stopSec * 1_000 })),
    nowEpochMs,
  );
}

/**
 * A reading that daylight saving time skips counts as if the clock had continued, one that it repeats as its first
 * occurrence.
 */
function localDateTimeState(
  intervals: readonly LocalDateTimeInterval[],
  timeZone: string,
  nowEpochMs: number,
): ScheduleState | null {
  if (zonedTime(timeZone, nowEpochMs) === null) return null;
  const epochMsOf = (local: string) =>
    Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds;
  return epochState(
    intervals.map(({ localStart, localStop }) => ({
      start: epochMsOf(localStart),
      stop: epochMsOf(localStop),
    })),
    nowEpochMs,
  );
}

/** Spans in epoch milliseconds. */
function epochState(given: readonly Span[], nowEpochMs: number): ScheduleState {
  const spans = mergeSpans(given);
  const next = spans.find(({ stop }) => nowEpochMs < stop);
  if (next === undefined) return { isInside: false, changesAtEpochMs: null };
  const isInside = nowEpochMs >= next.start;
  return { isInside, changesAtEpochMs: isInside ? next.stop : next.start };
}

/** Walks from one change of the zone's offset to the next; between them, local time advances like epoch time. */
function weeklyState(spans: readonly Span[], from: Temporal.ZonedDateTime): ScheduleState {
  const isInside = isWithin(spans, localWeekMs(from));
  let zoned = from;
  for (let i = 0; i < MAX_OFFSET_CHANGES; i++) {
    const flipEpochMs = zoned.epochMilliseconds + msToFlip(spans, localWeekMs(zoned), isInside);
    const offsetChange = zoned.getTimeZoneTransition('next');
    if (offsetChange === null || flipEpochMs < offsetChange.epochMilliseconds) {
      return { isInside, changesAtEpochMs: flipEpochMs };
    }
    zoned = offsetChange;
    if (isWithin(spans, localWeekMs(zoned)) !== isInside) break;
  }
  return { isInside, changesAtEpochMs: zoned.epochMilliseconds };
}

function zonedTime(timeZone: string, epochMs: number): Temporal.ZonedDateTime | null {
  try {
    return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone);
  } catch (error) {
    // RangeError: the zone is unknown here. Zones are user input, and time zone tables change.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Local milliseconds since Monday 00:00. */
function localWeekMs(zoned: Temporal.ZonedDateTime): number {
  const localMs = zoned.epochMilliseconds + zoned.offsetNanoseconds / 1e6;
  return (((localMs + EPOCH_TO_WEEK_MS) % MS_PER_WEEK) + MS_PER_WEEK) % MS_PER_WEEK;
}

/** Milliseconds, in the order of the week. */
function weekSpans(intervals: readonly WeeklyMinuteInterval[]): Span[] {
  const spans: Span[] = [];
  for (const { minuteOfWeekStart, minuteOfWeekStop } of intervals) {
    const start = (minuteOfWeekStart % MINUTES_PER_WEEK) * MS_PER_MINUTE;
    const stop = minuteOfWeekStop * MS_PER_MINUTE;
    if (stop > start) spans.push({ start, stop });
    else spans.push({ start, stop: MS_PER_WEEK }, { start: 0, stop });
  }
  return mergeSpans(spans);
}

/** In order, without empty, overlapping or touching ones. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (span.stop <= span.start) continue;
    if (last === undefined || span.start > last.stop) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, stop: Math.max(last.stop, span.stop) };
  }
  return merged;
}

function isWholeWeek(spans: readonly Span[]): boolean {
  return spans[0]!.start === 0 && spans[0]!.stop === MS_PER_WEEK;
}

function isWithin(spans: readonly Span[], weekMs: number): boolean {
  return spans.some(({ start, stop }) => weekMs >= start && weekMs < stop);
}

/** Local time from `weekMs` until the state differs from `isInside`; above 0. Call only if part of the week is covered, but not all. */
function msToFlip(spans: readonly Span[], weekMs: number, isInside: boolean): number {
  const first = spans[0]!;
  const next = spans.find(({ stop }) => weekMs < stop);
  if (!isInside) return (next === undefined ? first.start + MS_PER_WEEK : next.start) - weekMs;
  const stop = next!.stop;
  const runsOn = stop === MS_PER_WEEK && first.start === 0;
  return (runsOn ? MS_PER_WEEK + first.stop : stop) - weekMs;
}
