/**
 * Buckets of a report in a time zone. Days, weeks and months begin at local midnight, no matter what daylight saving time
 * does to their length; hours and parts of hours begin when a wall clock there shows a whole one. Where the offset
 * changes by less than a bucket, as it does by half an hour on Lord Howe Island, the bucket ends early and the next
 * begins at the change: buckets never overlap and leave no gap. Pure.
 */

import { Temporal } from 'temporal-polyfill';
import { GatewayError } from '../../core/errors.ts';
import type { BucketRun } from '../../store/crossing.ts';
import { REPORT_ERRORS } from './errors.ts';

export const MAX_BUCKETS = 9_000;
const MAX_YEARS = 20;
const MAX_RANGE_MS = MAX_YEARS * 366 * 86_400_000;

const MS_PER_MINUTE = 60_000;

/** Parts of a day, by their length. */
const CLOCK_BUCKETS_MS = {
  MINUTE: MS_PER_MINUTE,
  QUARTER_HOUR: 15 * MS_PER_MINUTE,
  HOUR: 60 * MS_PER_MINUTE,
} as const;

export type BucketSize = keyof typeof CLOCK_BUCKETS_MS | 'DAY' | 'WEEK' | 'MONTH';

export interface BucketRange {
  /** Half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly size: BucketSize;
  /** An existing IANA name. */
  readonly timeZone: string;
}

/**
 * The buckets that the range touches, whole: the first can begin before the range, and the last can end after it. Fails
 * REPORT_TOO_LONG.
 */
export function bucketRuns(range: BucketRange): BucketRun[] {
  if (range.toMs <= range.fromMs) return [];
  if (range.toMs - range.fromMs > MAX_RANGE_MS) throw tooLong();
  const { size } = range;
  const runs =
    size === 'DAY' || size === 'WEEK' || size === 'MONTH'
      ? joined(calendarEdges(range, size))
      : clockRuns(range, CLOCK_BUCKETS_MS[size]);
  if (runs.reduce((sum, { count }) => sum + count, 0) > MAX_BUCKETS) throw tooLong();
  return runs;
}

/** Starts of the buckets, in order. */
export function bucketStarts(runs: readonly BucketRun[]): number[] {
  const starts: number[] = [];
  for (const { startMs, lengthMs, count } of runs) {
    for (let index = 0; index < count; index++) starts.push(startMs + index * lengthMs);
  }
  return starts;
}

function tooLong(): GatewayError {
  return new GatewayError(REPORT_ERRORS.REPORT_TOO_LONG);
}

/** One run per period without a change of the offset. */
function clockRuns({ fromMs, toMs, timeZone }: BucketRange, lengthMs: number): BucketRun[] {
  const runs: BucketRun[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const { offsetMs, sinceMs, untilMs } = offsetAt(timeZone, atMs);
    const stretchEndMs = Math.min(toMs, untilMs);
    // The first whole hour of the period. The time before it belongs to the bucket that the change cut off.
    const firstMs = Math.ceil((sinceMs + offsetMs) / lengthMs) * lengthMs - offsetMs;
    const startMs = Math.floor((atMs + offsetMs) / lengthMs) * lengthMs - offsetMs;
    let wholeMs = startMs;
    if (startMs < firstMs) {
      const cutEndMs = Math.min(firstMs, untilMs);
      runs.push({ startMs: sinceMs, lengthMs: cutEndMs - sinceMs, count: 1 });
      wholeMs = cutEndMs;
    }
    const count = Math.floor((stretchEndMs - wholeMs) / lengthMs);
    if (count > 0) runs.push({ startMs: wholeMs, lengthMs, count });
    const restMs = wholeMs + Math.max(0, count) * lengthMs;
    if (restMs < stretchEndMs) {
      runs.push({ startMs: restMs, lengthMs: Math.min(lengthMs, untilMs - restMs), count: 1 });
    }
    atMs = stretchEndMs;
  }
  return runs;
}

/** The offset at an instant, and the period in which it stays the same: infinite if it never changes. */
function offsetAt(timeZone: string, atMs: number): { offsetMs: number; sinceMs: number; untilMs: number } {
  const zoned = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone);
  // "Previous" means before the instant itself, which can be the first of the period.
  const since = zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  const until = zoned.getTimeZoneTransition('next');
  return {
    offsetMs: zoned.offsetNanoseconds / 1e6,
    sinceMs: since === null ? Number.NEGATIVE_INFINITY : since.epochMilliseconds,
    untilMs: until === null ? Number.POSITIVE_INFINITY : until.epochMilliseconds,
  };
}

/** Starts of days, weeks (from Monday) or months, and the end of the last one. */
function calendarEdges({ fromMs, toMs, timeZone }: BucketRange, size: 'DAY' | 'WEEK' | 'MONTH'): number[] {
  const step = size === 'DAY' ? { days: 1 } : size === 'WEEK' ? { weeks: 1 } : { months: 1 };
  const local = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(timeZone).toPlainDate();
  let date = local;
  if (size === 'WEEK') date = local.subtract({ days: local.dayOfWeek - 1 });
  if (size === 'MONTH') date = local.with({ day: 1 });
  const edges: number[] = [];
  for (;;) {
    const edgeMs = date.toZonedDateTime({ timeZone }).epochMilliseconds;
    // A day that a zone skipped (Samoa, 2011-12-30) begins where the next one does.
    if (edgeMs !== edges.at(-1)) edges.push(edgeMs);
    if (edgeMs >= toMs) return edges;
    if (edges.length > MAX_BUCKETS) throw tooLong();
    date = date.add(step);
  }
}

/** Neighbors with the same length become one run. */
function joined(edges: readonly number[]): BucketRun[] {
  const runs: { startMs: number; lengthMs: number; count: number }[] = [];
  for (let index = 1; index < edges.length; index++) {
    const startMs = edges[index - 1]!;
    const lengthMs = edges[index]! - startMs;
    const last = runs.at(-1);
    if (last !== undefined && last.lengthMs === lengthMs) last.count += 1;
    else runs.push({ startMs, lengthMs, count: 1 });
  }
  return runs;
}
