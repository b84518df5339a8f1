/** The time range of an uptime query. */

import { MAX_TIME_MS } from '../../core/max-time.ts';
import { int64 } from '../fields/field-types.ts';
import { invalidField } from '../http/request-body.ts';

/** Numbers between 0 and this are seconds sent by mistake: as milliseconds, they would be before March 1973. */
const FIRST_LIKELY_TIME_MS = 100_000_000_000;

export const uptimeStart = int64('Start of the range, epoch milliseconds.', 0, MAX_TIME_MS);
export const uptimeEnd = int64('End of the range, epoch milliseconds. Default now.', 0, MAX_TIME_MS);

/** Half-open, epoch milliseconds; without an end: until now. */
export interface UptimeRange {
  readonly startMs: number;
  readonly endMs: number | undefined;
}

/**
 * `fields`: the two times, by their names in the request. Fails INVALID_FIELD for a time that only makes sense in
 * seconds.
 */
export function uptimeRange(fields: Readonly<Record<string, number | undefined>>): UptimeRange {
  for (const [name, time] of Object.entries(fields)) {
    if (time === undefined || time === 0 || time >= FIRST_LIKELY_TIME_MS) continue;
    throw invalidField(`${name} must be in epoch milliseconds; ${time} looks like seconds. Send ${time}000.`);
  }
  const [startMs = 0, endMs] = Object.values(fields);
  return { startMs, endMs };
}
