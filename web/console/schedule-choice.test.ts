import { expect, test } from 'vitest';
import { NO_SCHEDULE, paintedName, scheduleFault } from './schedule-choice.ts';
import { ALWAYS, NEVER, paintTimes } from './week.ts';

const OFFICE = paintTimes(NEVER, [0, 1, 2, 3, 4], 9 * 60, 17 * 60, true);

test('names a painted week by its times, unless someone named it', () => {
  expect(paintedName({ name: ' ', week: OFFICE })).toBe('Monday to Friday 9:00 to 17:00');
  expect(paintedName({ name: ' Guards ', week: OFFICE })).toBe('Guards');
});

test('keeps the name of many times within what the API takes', () => {
  const week = Array.from({ length: 70 }, (_, i) => i).reduce(
    (painted, i) => paintTimes(painted, [i % 7], (i % 10) * 120 + i, (i % 10) * 120 + 60 + i, true),
    NEVER,
  );
  expect(paintedName({ name: '', week }).length).toBe(256);
});

test('an empty week shows nothing, so it is a fault', () => {
  expect(scheduleFault(NO_SCHEDULE)).toBeNull();
  expect(scheduleFault({ ...NO_SCHEDULE, painted: { name: '', week: ALWAYS } })).toBeNull();
  const painted = { name: '', week: NEVER };
  expect(scheduleFault({ ...NO_SCHEDULE, painted })).toContain('can watch');
  expect(scheduleFault({ ...NO_SCHEDULE, painted, invertSchedule: true })).toContain('cannot watch');
});
