/**
 * A week as it is painted: when it is on, in minutes since Monday 0:00. Pure. It keeps every minute that the API knows,
 * also those between the quarters that the page paints, so that opening and saving a schedule changes nothing.
 */

import type { Answer } from './api.ts';

export const MINUTES_PER_HOUR = 60;
export const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;
export const DAYS_PER_WEEK = 7;
export const MINUTES_PER_WEEK = DAYS_PER_WEEK * MINUTES_PER_DAY;
/** Length of one cell of the week. */
export const CELL_MINUTES = 15;
export const CELLS_PER_DAY = MINUTES_PER_DAY / CELL_MINUTES;

/** As the API has it: a stop at or before its start wraps around the end of the week. */
export type WeeklyInterval =
  Answer<'schedule/getSchedules'>['weeklySchedules'][number]['intervalList'][number];

/** Half-open, in minutes; stop is above start. */
export interface Span {
  readonly start: number;
  readonly stop: number;
}

/** When it is on: in order, within the week, without overlaps; spans that touch are one. */
export type Week = readonly Span[];

export const NEVER: Week = [];
export const ALWAYS: Week = [{ start: 0, stop: MINUTES_PER_WEEK }];

/** A cell of the painted week. `day` 0: Monday; `cell` 0: from 0:00. */
export interface CellPlace {
  readonly day: number;
  readonly cell: number;
}

/** Cells on some days in a row at the same time of day, both ends included. */
export interface Block {
  readonly from: CellPlace;
  readonly to: CellPlace;
}

export function weekOf(intervals: readonly WeeklyInterval[]): Week {
  const spans: Span[] = [];
  for (const { minuteOfWeekStart, minuteOfWeekStop: stop } of intervals) {
    const start = minuteOfWeekStart % MINUTES_PER_WEEK;
    if (stop > start) spans.push({ start, stop });
    else spans.push({ start, stop: MINUTES_PER_WEEK }, { start: 0, stop });
  }
  return merge(spans);
}

/** One interval for what runs on from Sunday into Monday. */
export function intervalsOf(week: Week): WeeklyInterval[] {
  return runsOf(week).map(({ start, stop }) => ({
    minuteOfWeekStart: start,
    minuteOfWeekStop: stop > MINUTES_PER_WEEK ? stop - MINUTES_PER_WEEK : stop,
  }));
}

/** Like the week, but what runs on from Sunday into Monday is one span, whose stop is beyond the end of the week. */
export function runsOf(week: Week): Span[] {
  const first = week[0];
  const last = week.at(-1);
  const wraps = week.length > 1 && first!.start === 0 && last!.stop === MINUTES_PER_WEEK;
  if (!wraps) return [...week];
  return [...week.slice(1, -1), { start: last!.start, stop: MINUTES_PER_WEEK + first!.stop }];
}

/** The week with this span on, or off. The span is within the week. */
export function paint(week: Week, span: Span, isOn: boolean): Week {
  if (isOn) return merge([...week, span]);
  return week.flatMap(({ start, stop }) => [
    ...(start < span.start ? [{ start, stop: Math.min(stop, span.start) }] : []),
    ...(stop > span.stop ? [{ start: Math.max(start, span.stop), stop }] : []),
  ]);
}

/** Paints from `fromMinute` to `toMinute` of the given days; an end that is not later is on the next day. */
export function paintTimes(
  week: Week,
  days: readonly number[],
  fromMinute: number,
  toMinute: number,
  isOn: boolean,
): Week {
  const lengthMinutes =
    toMinute > fromMinute ? toMinute - fromMinute : MINUTES_PER_DAY - fromMinute + toMinute;
  let painted = week;
  for (const day of days) {
    const start = day * MINUTES_PER_DAY + fromMinute;
    const beyond = start + lengthMinutes - MINUTES_PER_WEEK;
    painted = paint(painted, { start, stop: Math.min(start + lengthMinutes, MINUTES_PER_WEEK) }, isOn);
    if (beyond > 0) painted = paint(painted, { start: 0, stop: beyond }, isOn);
  }
  return painted;
}

export function paintBlock(week: Week, block: Block, isOn: boolean): Week {
  return spansOf(block).reduce<Week>((painted, span) => paint(painted, span, isOn), week);
}

/** The block's spans, one for each day. */
export function spansOf({ from, to }: Block): Span[] {
  const [firstDay, lastDay] = [Math.min(from.day, to.day), Math.max(from.day, to.day)];
  const [firstCell, lastCell] = [Math.min(from.cell, to.cell), Math.max(from.cell, to.cell)];
  return Array.from({ length: lastDay - firstDay + 1 }, (_, i) => {
    const midnight = (firstDay + i) * MINUTES_PER_DAY;
    return { start: midnight + firstCell * CELL_MINUTES, stop: midnight + (lastCell + 1) * CELL_MINUTES };
  });
}

export function isInBlock({ day, cell }: CellPlace, { from, to }: Block): boolean {
  return isBetween(day, from.day, to.day) && isBetween(cell, from.cell, to.cell);
}

export function spanOfCell({ day, cell }: CellPlace): Span {
  const start = day * MINUTES_PER_DAY + cell * CELL_MINUTES;
  return { start, stop: start + CELL_MINUTES };
}

export function coverage(week: Week, { start, stop }: Span): 'all' | 'part' | 'none' {
  let coveredMinutes = 0;
  for (const span of week) {
    coveredMinutes += Math.max(0, Math.min(stop, span.stop) - Math.max(start, span.start));
  }
  if (coveredMinutes === 0) return 'none';
  return coveredMinutes === stop - start ? 'all' : 'part';
}

/** Whether painting the block once more turns it on: it does unless all of it is on. */
export function turnsOn(week: Week, block: Block): boolean {
  return spansOf(block).some((span) => coverage(week, span) !== 'all');
}

/** The parts of a day, in minutes since its midnight. */
export function partsOfDay(week: Week, day: number): Span[] {
  const midnight = day * MINUTES_PER_DAY;
  return week
    .map(({ start, stop }) => ({
      start: Math.max(0, start - midnight),
      stop: Math.min(MINUTES_PER_DAY, stop - midnight),
    }))
    .filter(({ start, stop }) => stop > start);
}

export function isSameWeek(one: Week, other: Week): boolean {
  return (
    one.length === other.length &&
    one.every(({ start, stop }, i) => start === other[i]!.start && stop === other[i]!.stop)
  );
}

function isBetween(value: number, one: number, other: number): boolean {
  return value >= Math.min(one, other) && value <= Math.max(one, other);
}

function merge(spans: readonly Span[]): Week {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (span.stop <= span.start) continue;
    if (last === undefined || span.start > last.stop) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, stop: Math.max(last.stop, span.stop) };
  }
  return merged;
}
