/** Whether API keys are used, and when they end, for people who look for those to revoke. Pure. */

import type { ApiKeyItem } from './api-keys.ts';

export const KEY_FILTERS = ['all', 'expired', 'ending', 'unused'] as const;
export type KeyFilter = (typeof KEY_FILTERS)[number];

const DAY_MS = 86_400_000;
/** A key that was not used for longer is probably not needed. */
const UNUSED_MS = 90 * DAY_MS;
const SOON_MS = 7 * DAY_MS;

/** When the key ends, epoch milliseconds; null: it does not. */
export function keyEndMs({ expirationTime }: Pick<ApiKeyItem, 'expirationTime'>): number | null {
  return expirationTime === undefined ? null : expirationTime * 1_000;
}

export function isExpired(key: Pick<ApiKeyItem, 'expirationTime'>, nowMs: number): boolean {
  const endMs = keyEndMs(key);
  return endMs !== null && endMs <= nowMs;
}

export function isEndingSoon(key: Pick<ApiKeyItem, 'expirationTime'>, nowMs: number): boolean {
  const endMs = keyEndMs(key);
  return endMs !== null && endMs > nowMs && endMs - nowMs < SOON_MS;
}

/** `notedSinceMs`: nothing is known about uses before. */
export function isUnused(
  { lastUsedMs, timestampMs }: Pick<ApiKeyItem, 'lastUsedMs' | 'timestampMs'>,
  notedSinceMs: number,
  nowMs: number,
): boolean {
  if (lastUsedMs !== undefined) return nowMs - lastUsedMs >= UNUSED_MS;
  return timestampMs >= notedSinceMs || nowMs - notedSinceMs >= UNUSED_MS;
}

/** Whether a filter shows a key. */
export function keyMatches(key: ApiKeyItem, filter: KeyFilter, notedSinceMs: number, nowMs: number): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'expired':
      return isExpired(key, nowMs);
    case 'ending':
      return isEndingSoon(key, nowMs);
    case 'unused':
      return isUnused(key, notedSinceMs, nowMs);
  }
}

/** `all` for an unknown one. */
export function keyFilterOf(text: string | undefined): KeyFilter {
  return KEY_FILTERS.find((each) => each === text) ?? 'all';
}
