/** Expiration times as callers write them (docs/spec/rules.md#shared-live-streams). */

import { MAX_TIME_SEC } from './max-time.ts';

/** Smaller values are durations. */
const FIRST_EPOCH_EXPIRATION_SEC = 1_000_000_000;
const MS_PER_SEC = 1_000;

/** Epoch second of a duration from now or an epoch second; null: it is not in the future, or no such value. */
export function expirationSecOf(written: number, nowEpochMs: number): number | null {
  const isDuration = written < FIRST_EPOCH_EXPIRATION_SEC;
  // Rounded up, so that a caller that requests an hour does not get less.
  const expiresAtSec = isDuration ? Math.ceil(nowEpochMs / MS_PER_SEC) + written : written;
  const isRight =
    Number.isSafeInteger(written) &&
    expiresAtSec <= MAX_TIME_SEC &&
    (isDuration ? written > 0 : expiresAtSec * MS_PER_SEC > nowEpochMs);
  return isRight ? expiresAtSec : null;
}
