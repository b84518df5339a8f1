import { expect, it } from 'vitest';
import { MAX_TIME_MS, MAX_TIME_SEC } from './max-time.ts';

it('is the last moment of the year 9999', () => {
  expect(new Date(MAX_TIME_MS).toISOString()).toBe('9999-12-31T23:59:59.999Z');
  expect(MAX_TIME_SEC).toBe(Math.floor(MAX_TIME_MS / 1_000));
});
