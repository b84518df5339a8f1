/** The range and the buckets of a report, as requests give them. */

import { Type } from 'typebox';
import type { Clock } from '../../core/clock.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { isTimeZone } from '../../core/time-zone.ts';
import { int64, oneOf, text } from '../base/field-types.ts';
import { invalidField } from '../base/request-body.ts';

const DEFAULT_RANGE_MS = 24 * 60 * 60 * 1_000;

export const RANGE_PROPERTIES = {
  startTimeMs: Type.Optional(
    int64(
      'First instant that counts, in epoch milliseconds. A day before `endTimeMs` when absent.',
      0,
      MAX_TIME_MS,
    ),
  ),
  endTimeMs: Type.Optional(
    int64('First instant that no longer counts, in epoch milliseconds. Now when absent.', 0, MAX_TIME_MS),
  ),
};

export const TIME_ZONE_FIELD = Type.Optional(
  text('IANA time zone in which buckets begin, such as America/New_York. UTC when absent.'),
);

export const BUCKET_SIZES = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH'] as const;

export const BUCKET_SIZE_FIELD = Type.Optional(
  oneOf(BUCKET_SIZES, 'Length of the buckets; weeks begin on Monday. HOUR when absent.'),
);

export interface RequestedRange {
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
}

/** Fails INVALID_FIELD for an end before the start. */
export function rangeOf(request: RequestedRange, clock: Clock): { fromMs: number; toMs: number } {
  const toMs = request.endTimeMs ?? clock.epochMs();
  const fromMs = request.startTimeMs ?? Math.max(0, toMs - DEFAULT_RANGE_MS);
  if (toMs < fromMs) throw invalidField('endTimeMs must not be before startTimeMs.');
  return { fromMs, toMs };
}

/** Fails INVALID_FIELD. */
export function timeZoneOf(requested: string | undefined): string {
  if (requested === undefined) return 'UTC';
  if (!isTimeZone(requested)) {
    throw invalidField('timeZone must be an IANA time zone such as America/New_York.');
  }
  return requested;
}
