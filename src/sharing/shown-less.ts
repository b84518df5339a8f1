/**
 * Whether a change of a link's schedule can only hide. Pure. What cannot be judged without looking at single instants (local dates and
 * times against the week, for example) counts as a change that shows more.
 */

import type { AbsoluteSecondsInterval, Schedule, WeeklyMinuteInterval } from '../store/entities.ts';
import { MINUTES_PER_WEEK } from './schedule-state.ts';

/** When something is shown. */
export interface Times {
  /** null: there is none, so it is always shown. */
  readonly schedule: Schedule | null;
  readonly isInverted: boolean;
}

/** Half-open. */
interface Span {
  readonly start: number;
  readonly stop: number;
}

/** Whether `after` is never shown when `before` is hidden. */
export function showsNoMore(before: Times, after: Times): boolean {
  const [one, other] = [before.schedule, after.schedule];
  if (one === null) return true;
  if (other === null) return false;
  if (one === other && before.isInverted === after.isInverted) return true;
  if (one.strategy === 'WEEKLY_REPEATING_MINUTES' && other.strategy === one.strategy) {
    const [shown, next] = [minutesOf(one.intervals), minutesOf(other.intervals)];
    return next.every((isInside, minute) => {
      const isShown = (isInside === 1) !== after.isInverted;
      return !isShown || (shown[minute] === 1) !== before.isInverted;
    });
  }
  if (one.strategy === 'ABSOLUTE_SECONDS' && other.strategy === one.strategy) {
    const shown = spansOf(one.intervals, before.isInverted);
    return spansOf(other.intervals, after.isInverted).every((span) =>
      shown.some(({ start, stop }) => start <= span.start && span.stop <= stop),
    );
  }
  return false;
}

/** 1 for each minute of the week that is inside. */
function minutesOf(intervals: readonly WeeklyMinuteInterval[]): Uint8Array {
  const minutes = new Uint8Array(MINUTES_PER_WEEK);
  for (const { minuteOfWeekStart: start, minuteOfWeekStop: stop } of intervals) {
    if (start < stop) {
      minutes.fill(1, start, stop);
    } else {
      minutes.fill(1, start);
      minutes.fill(1, 0, stop);
    }
  }
  return minutes;
}

/** In order, and no two touch. */
function spansOf(intervals: readonly AbsoluteSecondsInterval[], isInverted: boolean): readonly Span[] {
  const sorted = intervals
    .map(({ startSec, stopSec }) => ({ start: startSec, stop: stopSec }))
    .sort((a, b) => a.start - b.start);
  const joined: { start: number; stop: number }[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && span.start <= last.stop) last.stop = Math.max(last.stop, span.stop);
    else joined.push(span);
  }
  return isInverted ? gapsOf(joined) : joined;
}

function gapsOf(spans: readonly Span[]): readonly Span[] {
  const gaps: Span[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const { start, stop } of spans) {
    gaps.push({ start: from, stop: start });
    from = stop;
  }
  return [...gaps, { start: from, stop: Number.POSITIVE_INFINITY }];
}
