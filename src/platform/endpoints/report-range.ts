/** The range and the buckets of a report in requests. */

import { Temporal } from 'temporal-polyfill';
import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { int64, oneOf, text } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { businessDayMs } from '../reports/business-date.ts';
import { reportTimeZone, type WantedRange } from '../reports/report-range.ts';

/** The range and the buckets of a report in requests. */
export const RANGE_PROPERTIES = {
  startTimeMs: Type.Optional(
    int64(
      'Start of the range, inclusive, in epoch milliseconds. Default: one day before `endTimeMs`.',
      0,
      MAX_TIME_MS,
    ),
  ),
  endTimeMs: Type.Optional(
    int64('End of the range, exclusive, in epoch milliseconds. Default: now.', 0, MAX_TIME_MS),
  ),
};

export const TIME_ZONE_FIELD = Type.Optional(
  text('IANA time zone of the buckets, such as America/New_York. Default UTC.'),
);

const BUCKET_SIZES = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH'] as const;

export const BUCKET_SIZE_FIELD = Type.Optional(
  oneOf(BUCKET_SIZES, 'Length of the buckets; weeks begin on Monday. Default HOUR.'),
);

/** The range of a report that can also begin and end on dates in the report's time zone. */
export const DATED_RANGE_PROPERTIES = {
  ...RANGE_PROPERTIES,
  startDate: Type.Optional(
    text('First day of the range in `timeZone`, such as 2026-01-31; instead of `startTimeMs`.'),
  ),
  endDate: Type.Optional(text('Last day of the range, inclusive; instead of `endTimeMs`.')),
  timeZone: TIME_ZONE_FIELD,
};

interface DatedRange extends WantedRange {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly timeZone?: string;
}

/** Fails INVALID_FIELD, REPORT_TIME_ZONE_UNKNOWN. */
export function datedRange({
  startDate,
  endDate,
  startTimeMs,
  endTimeMs,
  timeZone,
}: DatedRange): WantedRange {
  if (startDate !== undefined && startTimeMs !== undefined) {
    throw invalidField('Send either startDate or startTimeMs, not both.');
  }
  if (endDate !== undefined && endTimeMs !== undefined) {
    throw invalidField('Send either endDate or endTimeMs, not both.');
  }
  const zone = reportTimeZone(timeZone);
  const fromMs = startDate === undefined ? startTimeMs : midnightMs('startDate', startDate, zone, 0);
  const toMs = endDate === undefined ? endTimeMs : midnightMs('endDate', endDate, zone, 1);
  return {
    ...(fromMs === undefined ? {} : { startTimeMs: fromMs }),
    ...(toMs === undefined ? {} : { endTimeMs: toMs }),
  };
}

/** When the day begins that is `daysLater`. Before 1970 is not a time of the API. */
function midnightMs(field: string, date: string, timeZone: string, daysLater: number): number {
  const utcMs = businessDayMs(date);
  if (utcMs === null) throw invalidField(`${field} must be a date such as 2026-01-31.`);
  const day = Temporal.Instant.fromEpochMilliseconds(utcMs).toZonedDateTimeISO('UTC').toPlainDate();
  return Math.max(0, day.add({ days: daysLater }).toZonedDateTime({ timeZone }).epochMilliseconds);
}
