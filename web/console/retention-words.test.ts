import { expect, test } from 'vitest';
import { allStayText, cameraStayText, diskText, stayText } from './retention-words.ts';

const DAY_MS = 86_400_000;

test.each([
  [0, '0 hours'],
  [5_400_000, '1 hour'],
  [1.9 * DAY_MS, '45 hours'],
  [2 * DAY_MS, '2 days'],
  [11.44 * DAY_MS, '11.4 days'],
  [119.6 * DAY_MS, '120 days'],
])('%d ms are %s', (ms, text) => {
  expect(stayText(ms)).toBe(text);
});

const forecast = { bytesPerDay: 40e9, keptMs: 11.4 * DAY_MS, decidedBy: 'disk' } as const;

test('a camera has a time, and a reason', () => {
  expect(cameraStayText(forecast)).toBe(
    'At today’s rate, recordings of this camera are kept for 11.4 days. The disk has no room for more.',
  );
});

test('cameras that keep equally long have one time', () => {
  expect(allStayText({ ...forecast, longestKeptMs: 11.5 * DAY_MS })).toBe(
    'At today’s rate, recordings are kept for 11.4 days. The disk has no room for more.',
  );
  expect(allStayText({ ...forecast, longestKeptMs: 30 * DAY_MS })).toBe(
    'At today’s rate, recordings are kept for 11.4 days to 30 days, depending on the camera.',
  );
});

test('a disk fills, is full, or has room', () => {
  const total = { ...forecast, longestKeptMs: 30 * DAY_MS };
  expect(diskText(total)).toBeNull();
  expect(diskText({ ...total, diskFullInMs: 0 })).toBe(
    'The disk is full: new recordings replace the oldest.',
  );
  expect(diskText({ ...total, diskFullInMs: 3 * DAY_MS })).toBe(
    'The disk fills in 3 days. From then on, new recordings replace the oldest.',
  );
});
