import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let life: typeof import('./signs-of-life.ts');

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.resetModules();
  life = await import('./signs-of-life.ts');
});
afterEach(() => vi.useRealTimers());

test('a call without an answer is noticed within 10 s, with the time since it began', () => {
  vi.advanceTimersByTime(60_000);
  life.watchCall();
  vi.advanceTimersByTime(7_000);
  expect(life.silentSinceEpochMs.value).toBeNull();
  vi.advanceTimersByTime(3_000);
  expect(life.silentSinceEpochMs.value).toBe(1_060_000);
  life.noteResponse();
  expect(life.silentSinceEpochMs.value).toBeNull();
  expect(life.lastResponseEpochMs()).toBe(1_070_000);
});

test('a call that takes long is no silence while the gateway sends anything else', () => {
  life.watchCall();
  vi.advanceTimersByTime(3_000);
  life.noteResponse();
  vi.advanceTimersByTime(30_000);
  expect(life.silentSinceEpochMs.value).toBeNull();
});

test('a call that has ended is not watched', () => {
  life.watchCall()();
  vi.advanceTimersByTime(30_000);
  expect(life.silentSinceEpochMs.value).toBeNull();
});
