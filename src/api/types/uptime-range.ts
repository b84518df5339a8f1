/** The time range of an uptime query. */

import { MAX_TIME_MS } from '../../core/max-time.ts';
import { int64WithoutFraction } from '../fields/field-types.ts';

/** Numbers between 0 and this are seconds sent by mistake: as milliseconds, they would be before March 1973. */
const FIRST_LIKELY_TIME_MS = 100_000_000_000;

export const uptimeStart = int64WithoutFraction(
  'Start of the range, epoch milliseconds. A fraction is dropped.',
  0,
  MAX_TIME_MS,
);
export const uptimeEnd = int64WithoutFraction(
  'End of the range, epoch milliseconds; a fraction is dropped. Default now.',
  0,
  MAX_TIME_MS,
);

/** Half-open, epoch milliseconds; without an end: until now. */
export interface UptimeRange {
  readonly startMs: number;
  readonly endMs: number | undefined;
}

/**
 * `fields`: the two times as the request names them. A time that only makes sense in seconds, as some clients send it, is
 * taken as that; `warn` says so.
 */
export function uptimeRange(
  fields: Readonly<Record<string, number | undefined>>,
  { warn }: { readonly warn: (sentence: string) => void },
): UptimeRange {
  const [startMs = 0, endMs] = Object.entries(fields).map(([name, time]) => {
    if (time === undefined || time === 0 || time >= FIRST_LIKELY_TIME_MS) return time;
    warn(`${name} was taken as seconds: send epoch milliseconds, ${time}000.`);
    return time * 1_000;
  });
  return { startMs, endMs };
}
