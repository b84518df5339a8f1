import { expect, test } from 'vitest';
import {
  epochMsOfLocalInput,
  expirationTimeSecs,
  expiryFault,
  expiryOf,
  extended,
  localInput,
} from './expiry.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;

test('says what the API takes', () => {
  expect(expirationTimeSecs({ kind: 'in', sec: 3_600 })).toBe(3_600);
  expect(expirationTimeSecs({ kind: 'never' })).toBeUndefined();
  expect(expirationTimeSecs({ kind: 'at', epochMs: NOW_MS + 999 })).toBe(NOW_MS / 1_000);
});

test('finds what is wrong with a chosen time', () => {
  expect(expiryFault({ kind: 'in', sec: 3_600 }, NOW_MS)).toBeNull();
  expect(expiryFault({ kind: 'never' }, NOW_MS)).toBeNull();
  expect(expiryFault({ kind: 'at', epochMs: null }, NOW_MS)).toBe('Choose a date and a time.');
  expect(expiryFault({ kind: 'at', epochMs: NOW_MS }, NOW_MS)).toBe('Choose a time in the future.');
  expect(expiryFault({ kind: 'at', epochMs: NOW_MS + 1 }, NOW_MS)).toBeNull();
  expect(expiryFault({ kind: 'at', epochMs: Date.UTC(2040, 0) }, NOW_MS)).toBe('Choose a date before 2038.');
});

test('extends from the present end, or from now if that is over', () => {
  const inTwoHours = NOW_MS + 2 * HOUR_MS;
  expect(extended(inTwoHours, 3_600, NOW_MS)).toEqual({ kind: 'at', epochMs: inTwoHours + HOUR_MS });
  expect(extended(NOW_MS - HOUR_MS, 3_600, NOW_MS)).toEqual({ kind: 'at', epochMs: NOW_MS + HOUR_MS });
  expect(extended(Date.UTC(2038, 0, 18), 7 * 86_400, NOW_MS)).toEqual({
    kind: 'at',
    epochMs: 2_147_483_647_000,
  });
  expect(expiryOf(null)).toEqual({ kind: 'never' });
  expect(expiryOf(NOW_MS)).toEqual({ kind: 'at', epochMs: NOW_MS });
});

test('fills a field of local time, and reads it', () => {
  const at = new Date(2026, 0, 5, 9, 5).getTime();
  expect(localInput(at)).toBe('2026-01-05T09:05');
  expect(epochMsOfLocalInput('2026-01-05T09:05')).toBe(at);
  expect(epochMsOfLocalInput('')).toBeNull();
  expect(epochMsOfLocalInput('soon')).toBeNull();
});
