/** Business days of point-of-sale systems: a date without a time zone, identified by its midnight in UTC. */

import { Temporal } from 'temporal-polyfill';

export const MS_PER_DAY = 86_400_000;

const BUSINESS_DATE = /^(\d{4})-?(\d{2})-?(\d{2})$/;

/** `2026-01-31` or `20260131` as epoch milliseconds; null if it is not a date. */
export function businessDayMs(text: string): number | null {
  const match = BUSINESS_DATE.exec(text);
  if (match === null) return null;
  const [, year, month, day] = match;
  try {
    const date = Temporal.PlainDate.from(`${year}-${month}-${day}`, { overflow: 'reject' });
    return date.toZonedDateTime('UTC').epochMilliseconds;
  } catch {
    // RangeError: no such day.
    return null;
  }
}
