import { expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { ApiKey } from '../store/entities.ts';
import { sampleApiKey } from '../store/sample-entities-fixture.ts';
import { keyFindings } from './key-findings.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-06-01T12:00:00Z');
const orgUuid = newRuuid();

/** `endDays`, `usedDays`, `ageDays`: from now. */
function key(
  name: string,
  { endDays, ageDays = 100, ...more }: { endDays: number | null; ageDays?: number } & Partial<ApiKey>,
): ApiKey {
  const expiresAtMs = endDays === null ? null : NOW_MS + endDays * DAY_MS;
  return sampleApiKey(orgUuid, { name, createdAtMs: NOW_MS - ageDays * DAY_MS, expiresAtMs, ...more });
}

function found(usedDaysAgo: number | null, ...keys: ApiKey[]) {
  const uses =
    usedDaysAgo === null ? [] : keys.map(({ uuid }) => [uuid, NOW_MS - usedDaysAgo * DAY_MS] as const);
  return keyFindings({ keys, uses: { sinceMs: 0, lastMs: new Map(uses) } }, NOW_MS).map(
    ({ code, sentence }) => [code, sentence],
  );
}

it('warns of keys in use that end within a week', () => {
  expect(
    found(1, key('Desk', { endDays: 5 }), key('Wall', { endDays: 8 }), key('Old', { endDays: null })),
  ).toEqual([['API_KEYS_EXPIRE_SOON', 'The API key “Desk” is in use and ends soon, on 2026-06-06.']]);
  const five = Array.from({ length: 5 }, (_, at) => key(`Key ${at}`, { endDays: 6 - at }));
  expect(found(1, ...five)).toEqual([
    [
      'API_KEYS_EXPIRE_SOON',
      'The API keys “Key 0”, “Key 1”, “Key 2” and 2 more are in use and end soon, the first on 2026-06-03.',
    ],
  ]);
});

it('does not warn of keys that no one uses, that are revoked, or that were made for a few days', () => {
  expect(found(null, key('Desk', { endDays: 5 }))).toEqual([]);
  expect(found(31, key('Desk', { endDays: 5 }))).toEqual([]);
  expect(found(1, key('Desk', { endDays: 5, revokedAtMs: NOW_MS }))).toEqual([]);
  expect(found(1, key('Visit', { endDays: 3, ageDays: 1 }))).toEqual([]);
  expect(found(0, key('Visit', { endDays: 0.5, ageDays: 3.5 }))).toHaveLength(1);
});

it('reports keys that ended while they were used, for a week', () => {
  expect(found(2, key('Desk', { endDays: -1 }))).toEqual([
    ['API_KEYS_EXPIRED', 'The API key “Desk” ended while in use. The gateway refuses what uses it.'],
  ]);
  expect(found(10, key('Desk', { endDays: -8 }))).toEqual([]);
});
