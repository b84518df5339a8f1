/** A time in the past, as URLs name it: start and duration in epoch seconds, with up to three decimals. */

import { GatewayError } from '../core/errors.ts';
import { PLAYBACK_ERRORS } from './errors.ts';

/** Half-open, epoch milliseconds. */
export interface PastRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A day of 2-second segments is a playlist of 2 MB. */
export const MAX_RANGE_SEC = 86_400;

const SECONDS_PATTERN = /^\d{1,11}(?:\.\d{1,3})?$/;
const MS_PER_SEC = 1_000;

/** Fails PLAYBACK_RANGE_INVALID, or PLAYBACK_RANGE_AHEAD for a range that has yet to begin. */
export function parsePastRange(startText: string, durationText: string, nowEpochMs: number): PastRange {
  const start = secondsOf(startText);
  const duration = secondsOf(durationText);
  if (start === null || duration === null || duration <= 0 || duration > MAX_RANGE_SEC) {
    throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_RANGE_INVALID);
  }
  const fromMs = Math.round(start * MS_PER_SEC);
  if (fromMs > nowEpochMs) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_RANGE_AHEAD);
  return { fromMs, toMs: fromMs + Math.round(duration * MS_PER_SEC) };
}

function secondsOf(text: string): number | null {
  return SECONDS_PATTERN.test(text) ? Number(text) : null;
}
