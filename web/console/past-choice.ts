/** Whether viewers of a share see its past, how far back, and until when. Pure. */

import { type Expiry, expirationTimeSecs, expiryOf } from './expiry.ts';

export interface PastChoice {
  readonly isShown: boolean;
  /** Seconds before now; null: back to when the share was made. */
  readonly backSec: number | null;
  /** When the past ends; never: with the share. */
  readonly end: Expiry;
}

export const NO_PAST: PastChoice = { isShown: false, backSec: null, end: { kind: 'never' } };

/** Of a share, as the API lists it. */
export interface SharedPast {
  readonly vodEnabled: boolean;
  readonly vodPastSecs?: number;
  /** Epoch second. */
  readonly vodExpirationTime?: number;
}

const HOUR_SEC = 3_600;
const DAY_SEC = 24 * HOUR_SEC;

/** Offered with a click, besides "since the share was made". */
export const PAST_SECS: readonly number[] = [HOUR_SEC, DAY_SEC, 7 * DAY_SEC, 30 * DAY_SEC];

export function pastChoiceOf({ vodEnabled, vodPastSecs, vodExpirationTime }: SharedPast): PastChoice {
  const endMs = vodExpirationTime === undefined ? null : vodExpirationTime * 1_000;
  return { isShown: vodEnabled, backSec: vodPastSecs ?? null, end: expiryOf(endMs) };
}

/** Null: that of a new share. */
export interface PastTerms {
  readonly vodEnabled: boolean;
  readonly vodPastSecs: number | null;
  readonly vodExpirationTimeSecs: number | null;
}

/** As the API takes it. Without a past, its limits are cleared, so that it begins without them when it is turned on again. */
export function pastTerms({ isShown, backSec, end }: PastChoice): PastTerms {
  return {
    vodEnabled: isShown,
    vodPastSecs: isShown ? backSec : null,
    vodExpirationTimeSecs: isShown ? (expirationTimeSecs(end) ?? null) : null,
  };
}

/** Only what differs. An end that has passed stays if it was not changed. */
export function pastChanges(share: SharedPast, choice: PastChoice): Partial<PastTerms> {
  const known = pastTerms(pastChoiceOf(share));
  const wanted = pastTerms(choice);
  const differing = Object.entries(wanted).filter(
    ([name, value]) => known[name as keyof PastTerms] !== value,
  );
  return Object.fromEntries(differing);
}
