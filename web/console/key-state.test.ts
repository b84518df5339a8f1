import './page-address-fixture.ts';
import { expect, it } from 'vitest';
import type { ApiKeyItem } from './api-keys.ts';
import { KEY_FILTERS, keyFilterOf, keyMatches } from './key-state.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_780_000_000_000;
const SINCE_MS = NOW_MS - 10 * DAY_MS;

function filtersOf(
  days: { readonly age?: number; readonly used?: number; readonly end?: number },
  notedSinceMs = SINCE_MS,
): string[] {
  const { age = 200, used, end } = days;
  const key = {
    timestampMs: NOW_MS - age * DAY_MS,
    ...(used === undefined ? {} : { lastUsedMs: NOW_MS - used * DAY_MS }),
    ...(end === undefined ? {} : { expirationTime: (NOW_MS + end * DAY_MS) / 1_000 }),
  } as ApiKeyItem;
  return KEY_FILTERS.filter((filter) => keyMatches(key, filter, notedSinceMs, NOW_MS));
}

it('finds keys that are not used, as far as that is known', () => {
  expect(filtersOf({ used: 1 })).toEqual(['all']);
  expect(filtersOf({ used: 90 })).toEqual(['all', 'unused']);
  expect(filtersOf({ age: 1 })).toEqual(['all', 'unused']);
  // It may have been used before its uses were noted.
  expect(filtersOf({})).toEqual(['all']);
  expect(filtersOf({}, NOW_MS - 91 * DAY_MS)).toEqual(['all', 'unused']);
});

it('finds keys that have ended, and those that end within a week', () => {
  expect(filtersOf({ used: 1, end: 30 })).toEqual(['all']);
  expect(filtersOf({ used: 1, end: 6 })).toEqual(['all', 'ending']);
  expect(filtersOf({ used: 1, end: 0 })).toEqual(['all', 'expired']);
  expect(filtersOf({ used: 1, end: -400 })).toEqual(['all', 'expired']);
});

it('shows all keys for an unknown filter', () => {
  expect([keyFilterOf('expired'), keyFilterOf('other'), keyFilterOf(undefined)]).toEqual([
    'expired',
    'all',
    'all',
  ]);
});
