import { expect, test } from 'vitest';
import { MINUTES_PER_DAY, NEVER, paintTimes, type Week, weekOf } from './week.ts';
import { daysText, dayText, spanText, timeText, weekText } from './week-words.ts';

const HOUR = 60;
const WEEKDAYS = [0, 1, 2, 3, 4];
const EVERY_DAY = [...WEEKDAYS, 5, 6];
const OFFICE = paintTimes(NEVER, WEEKDAYS, 9 * HOUR, 17 * HOUR, true);

test.each<[string, Week, string[]]>([
  ['nothing', NEVER, ['Never']],
  ['everything', weekOf([{ minuteOfWeekStart: 0, minuteOfWeekStop: 10_080 }]), ['Always']],
  ['one day', paintTimes(NEVER, [0], 540, 1_020, true), ['Monday 9:00 to 17:00']],
  ['office hours', OFFICE, ['Monday to Friday 9:00 to 17:00']],
  [
    'office hours with a break',
    paintTimes(OFFICE, WEEKDAYS, 720, 780, false),
    ['Monday to Friday 9:00 to 12:00', 'Monday to Friday 13:00 to 17:00'],
  ],
  [
    'days apart',
    paintTimes(NEVER, [0, 2, 4], 480, 1_440, true),
    ['Monday, Wednesday and Friday 8:00 to 24:00'],
  ],
  [
    'nights, the last of which runs into Monday',
    paintTimes(NEVER, EVERY_DAY, 22 * HOUR, 6 * HOUR, true),
    ['Every day 22:00 to 6:00 the next day'],
  ],
  [
    'the night after Sunday',
    paintTimes(NEVER, [6], 22 * HOUR, 6 * HOUR, true),
    ['Sunday 22:00 to 6:00 the next day'],
  ],
  ['the weekend', paintTimes(NEVER, [5, 6], 0, 0, true), ['Saturday and Sunday all day']],
  [
    'whole days on both sides of the end of the week',
    paintTimes(NEVER, [0, 6], 0, 0, true),
    ['Monday and Sunday all day'],
  ],
  [
    'nights of the week, and the early hours of Sunday',
    paintTimes(paintTimes(NEVER, WEEKDAYS, 18 * HOUR, 8 * HOUR, true), [6], 0, 8 * HOUR, true),
    ['Monday to Friday 18:00 to 8:00 the next day', 'Sunday 0:00 to 8:00'],
  ],
  [
    'a closed weekend',
    weekOf([{ minuteOfWeekStart: 4 * MINUTES_PER_DAY + 18 * HOUR, minuteOfWeekStop: 8 * HOUR }]),
    ['Friday 18:00 to Monday 8:00'],
  ],
])('says %s', (_name, week, lines) => {
  expect(weekText(week)).toEqual(lines);
});

test('says a day for itself', () => {
  expect(dayText(OFFICE, 0)).toBe('9:00 to 17:00');
  expect(dayText(OFFICE, 5)).toBe('off');
  expect(dayText(paintTimes(OFFICE, [0], 720, 780, false), 0)).toBe('9:00 to 12:00 and 13:00 to 17:00');
  expect(dayText(paintTimes(NEVER, [6], 0, 0, true), 6)).toBe('all day');
});

test('says times and spans', () => {
  expect([timeText(0), timeText(545), timeText(1_440)]).toEqual(['0:00', '9:05', '24:00']);
  expect(spanText({ start: 540, stop: 1_020 })).toBe('Monday 9:00 to 17:00');
  expect(spanText({ start: MINUTES_PER_DAY - 15, stop: MINUTES_PER_DAY })).toBe('Monday 23:45 to 24:00');
});

test('says days', () => {
  expect(daysText([5, 6])).toBe('Saturday and Sunday');
  expect(daysText([0, 1, 2, 4])).toBe('Monday to Wednesday and Friday');
  expect(daysText([6, 5, 4, 3, 2, 1, 0])).toBe('Every day');
});
