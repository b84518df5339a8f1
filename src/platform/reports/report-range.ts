/** The range and the time zone of a report. */

import { GatewayError } from '../../core/errors.ts';
import { isTimeZone } from '../../core/time-zone.ts';
import { REPORT_ERRORS } from './errors.ts';

const DEFAULT_RANGE_MS = 24 * 60 * 60 * 1_000;

/** Epoch milliseconds; the end is exclusive. */
export interface WantedRange {
  /** Absent: one day before the end. */
  readonly startTimeMs?: number;
  /** Absent: now. */
  readonly endTimeMs?: number;
}

/** Half-open. */
export interface ReportRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Fails REPORT_RANGE_REVERSED. */
export function reportRange({ startTimeMs, endTimeMs }: WantedRange, nowMs: number): ReportRange {
  const toMs = endTimeMs ?? nowMs;
  const fromMs = startTimeMs ?? Math.max(0, toMs - DEFAULT_RANGE_MS);
  if (toMs < fromMs) throw new GatewayError(REPORT_ERRORS.REPORT_RANGE_REVERSED);
  return { fromMs, toMs };
}

/** Fails REPORT_TIME_ZONE_UNKNOWN. */
export function reportTimeZone(wanted = 'UTC'): string {
  if (!isTimeZone(wanted)) throw new GatewayError(REPORT_ERRORS.REPORT_TIME_ZONE_UNKNOWN);
  return wanted;
}
