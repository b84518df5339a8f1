/**
 * When a schedule shows a share, by plain arithmetic on epoch milliseconds: it judges the product's own code for schedules.
 * The cameras are in New York, whose clocks are five hours behind UTC for the whole of a simulation.
 */

import type { AbsoluteSecondsInterval, WeeklyMinuteInterval } from '../../src/store/entities.ts';
import type { Random } from './random.ts';
import { BEGIN_EPOCH_MS } from './world.ts';

/** Epoch milliseconds, half-open. */
export type Span = readonly [fromEpochMs: number, toEpochMs: number];

/** The stored schedule, and its meaning. */
export type Hours =
  | { readonly kind: 'weekly'; readonly intervals: WeeklyMinuteInterval[]; readonly spans: readonly Span[] }
  | {
      readonly kind: 'absolute';
      readonly intervals: AbsoluteSecondsInterval[];
      readonly spans: readonly Span[];
    };

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 10_080;
/** Monday 00:00 in New York, in the week in which simulations begin. */
const MONDAY_EPOCH_MS = Date.UTC(2025, 11, 29, 5);
const MAX_SPANS = 4;

/** Around now: shown and hidden again in a few seconds. */
export function absoluteHours(random: Random, nowEpochMs: number): Hours & { kind: 'absolute' } {
  const intervals: AbsoluteSecondsInterval[] = [];
  let atSec = Math.floor(nowEpochMs / 1_000) + random.below(8) - 5;
  for (let count = 1 + random.below(MAX_SPANS); count > 0; count--) {
    const stopSec = atSec + 2 + random.below(12);
    intervals.push({ startSec: atSec, stopSec });
    // Some touch, some overlap.
    atSec = stopSec + random.below(10) - 1;
  }
  const spans = intervals.map(({ startSec, stopSec }): Span => [startSec * 1_000, stopSec * 1_000]);
  return { kind: 'absolute', intervals: random.chance(0.3) ? intervals.reverse() : intervals, spans };
}

/** Hours in the minutes around now; some of them wrap around the end of the week. */
export function weeklyHours(random: Random, nowEpochMs: number): Hours & { kind: 'weekly' } {
  const minute = Math.floor((nowEpochMs - MONDAY_EPOCH_MS) / MINUTE_MS);
  const first = minute + random.below(3) - 1;
  const last = first + 1 + random.below(2);
  const [minuteOfWeekStart, minuteOfWeekStop] = random.chance(0.6) ? [first, last] : [last, first];
  const wraps = minuteOfWeekStop < minuteOfWeekStart;
  const pieces = wraps
    ? [
        [minuteOfWeekStart, WEEK_MINUTES],
        [0, minuteOfWeekStop],
      ]
    : [[minuteOfWeekStart, minuteOfWeekStop]];
  const spans = pieces.map(
    ([from, to]): Span => [MONDAY_EPOCH_MS + from! * MINUTE_MS, MONDAY_EPOCH_MS + to! * MINUTE_MS],
  );
  return { kind: 'weekly', intervals: [{ minuteOfWeekStart, minuteOfWeekStop }], spans };
}

/** The same from the first to the last of these milliseconds; null: it changes between them. */
export function insideThroughout(
  spans: readonly Span[],
  fromEpochMs: number,
  toEpochMs: number,
): boolean | null {
  const isInside = (atMs: number): boolean => spans.some(([from, to]) => atMs >= from && atMs < to);
  const edges = spans.flat().filter((edge) => edge > fromEpochMs && edge <= toEpochMs);
  const first = isInside(fromEpochMs);
  return edges.every((edge) => isInside(edge) === first) ? first : null;
}

/** Simulations have to begin in that week. */
if (Math.floor((BEGIN_EPOCH_MS - MONDAY_EPOCH_MS) / MINUTE_MS) >= WEEK_MINUTES)
  throw new Error('not the week of the simulations');
