import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let answers: typeof import('./answers.ts');

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.resetModules();
  answers = await import('./answers.ts');
});
afterEach(() => vi.useRealTimers());

test('a call without an answer is noticed within 10 s, with the time since it began', () => {
  vi.advanceTimersByTime(60_000);
  answers.watchCall();
  vi.advanceTimersByTime(7_000);
  expect(answers.silentSinceEpochMs.value).toBeNull();
  vi.advanceTimersByTime(3_000);
  expect(answers.silentSinceEpochMs.value).toBe(1_060_000);
  answers.noteAnswer();
  expect(answers.silentSinceEpochMs.value).toBeNull();
  expect(answers.lastAnswerEpochMs()).toBe(1_070_000);
});

test('a call that takes long is no silence while the gateway sends anything else', () => {
  answers.watchCall();
  vi.advanceTimersByTime(3_000);
  answers.noteAnswer();
  vi.advanceTimersByTime(30_000);
  expect(answers.silentSinceEpochMs.value).toBeNull();
});

test('a call that has ended is not watched', () => {
  answers.watchCall()();
  vi.advanceTimersByTime(30_000);
  expect(answers.silentSinceEpochMs.value).toBeNull();
});
