import { describe, expect, it } from 'vitest';
import { parseWeeklyTimes } from './weekly-times.ts';

const at = (day: number, hour: number, minute = 0) => (day * 24 + hour) * 60 + minute;
const interval = (minuteOfWeekStart: number, minuteOfWeekStop: number) => ({
  minuteOfWeekStart,
  minuteOfWeekStop,
});

describe('parseWeeklyTimes', () => {
  it.each([
    ['Mon 08:00-18:30', [interval(at(0, 8), at(0, 18, 30))]],
    ['sat-mon 22:00-06:00', [5, 6, 0].map((day) => interval(at(day, 22), at((day + 1) % 7, 6)))],
    ['Fri 00:00-24:00', [interval(at(4, 0), at(5, 0))]],
    ['Sun 00:00-24:00', [interval(at(6, 0), at(7, 0))]],
    ['Tue 10:00-10:00', [interval(at(1, 10), at(2, 10))]],
    ['Mon 01:00-02:00,  Wed 03:00-04:00', [interval(at(0, 1), at(0, 2)), interval(at(2, 3), at(2, 4))]],
  ])('reads %s', (text, intervals) => {
    expect(parseWeeklyTimes(text)).toEqual(intervals);
  });

  it('reads every day', () => {
    expect(parseWeeklyTimes('daily 09:00-10:00')).toHaveLength(7);
  });

  it.each([
    '',
    'Mon',
    '08:00-18:00',
    'Mon 8:00-9:00',
    'Mon 08:00',
    'Mon 08:60-09:00',
    'Mon 24:00-25:00',
    'Mon 24:00-06:00',
    'Xyz 08:00-09:00',
    'daily-fri 08:00-09:00',
    'Mon 08:00-09:00,',
    'Mon 08:00-09:00;',
    'Mon 08:00-09:00, '.repeat(100),
  ])('refuses %j', (text) => {
    expect(parseWeeklyTimes(text)).toBeNull();
  });
});
