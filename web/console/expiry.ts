/** When a share ends, as people choose it. Pure. */

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

/** The value of a `datetime-local` field: the browser's time, without a zone. */
export function localInput(epochMs: number): string {
  const at = new Date(epochMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Null: the field is empty or not filled in. */
export function epochMsOfLocalInput(value: string): number | null {
  const epochMs = value === '' ? Number.NaN : new Date(value).getTime();
  return Number.isNaN(epochMs) ? null : epochMs;
}
