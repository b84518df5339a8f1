/** When a share ends, as people choose it. Pure. */

import { TIME_ZONE } from '../words/choices.ts';
import { epochMsOfZonedInput, zonedInput } from './time-axis.ts';
import { t } from './words.ts';

export type Expiry =
  | { readonly kind: 'in'; readonly sec: number }
  /** `epochMs` null: not yet chosen. */
  | { readonly kind: 'at'; readonly epochMs: number | null }
  | { readonly kind: 'never' };

const HOUR_SEC = 3_600;
const DAY_SEC = 24 * HOUR_SEC;

/** Offered with a click. */
export const PRESETS: readonly { readonly title: string; readonly sec: number }[] = [
  { title: t('1 hour'), sec: HOUR_SEC },
  { title: t('24 hours'), sec: DAY_SEC },
  { title: t('7 days'), sec: 7 * DAY_SEC },
];

/** The same for keys of programs, which live longer. */
export const KEY_PRESETS: typeof PRESETS = [
  { title: t('7 days'), sec: 7 * DAY_SEC },
  { title: t('90 days'), sec: 90 * DAY_SEC },
  { title: t('1 year'), sec: 365 * DAY_SEC },
];

/** The API's times are 32 bits. */
const MAX_EPOCH_MS = 2_147_483_647_000;

/** Describes the fault of an expiration; null: none. */
export function expiryFault(expiry: Expiry, nowMs: number): string | null {
  if (expiry.kind !== 'at') return null;
  if (expiry.epochMs === null) return t('Choose a date and a time.');
  if (expiry.epochMs <= nowMs) return t('Choose a time in the future.');
  return expiry.epochMs > MAX_EPOCH_MS ? t('Choose a date before 2038.') : null;
}

/** The API's `expirationTimeSecs`; undefined: it never ends. Call only without a fault. */
export function expirationTimeSecs(expiry: Expiry): number | undefined {
  if (expiry.kind === 'in') return expiry.sec;
  return expiry.kind === 'at' ? Math.floor(expiry.epochMs! / 1_000) : undefined;
}

export function expiryOf(expiresAtMs: number | null): Expiry {
  return expiresAtMs === null ? { kind: 'never' } : { kind: 'at', epochMs: expiresAtMs };
}

/** Longer from its present end, or from now if that is over. */
export function extended(expiresAtMs: number, sec: number, nowMs: number): Expiry {
  return { kind: 'at', epochMs: Math.min(Math.max(expiresAtMs, nowMs) + sec * 1_000, MAX_EPOCH_MS) };
}

/** As in `2026-11-30T09:00`. */
const LOCAL_MINUTE_CHARS = 16;

/** The value of a `datetime-local` field: the time in the document's zone, without the zone. */
export function localInput(epochMs: number): string {
  return zonedInput(epochMs, TIME_ZONE).slice(0, LOCAL_MINUTE_CHARS);
}

/** Null: the field is empty or not filled in. */
export function epochMsOfLocalInput(value: string): number | null {
  return epochMsOfZonedInput(value, TIME_ZONE);
}
