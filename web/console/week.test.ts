import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ALWAYS,
  coverage,
  intervalsOf,
  isInBlock,
  isSameWeek,
  MINUTES_PER_DAY,
  MINUTES_PER_WEEK,
  NEVER,
  paint,
  paintBlock,
  paintTimes,
  partsOfDay,
  runsOf,
  spanOfCell,
  turnsOn,
  type Week,
  type WeeklyInterval,
  weekOf,
} from './week.ts';

const HOUR = 60;
const SUNDAY = 6 * MINUTES_PER_DAY;
const interval = (minuteOfWeekStart: number, minuteOfWeekStop: number): WeeklyInterval => ({
  minuteOfWeekStart,
  minuteOfWeekStop,
});

/** The definition, minute by minute. */
function minutesOf(week: Week): Buffer {
  const minutes = Buffer.alloc(MINUTES_PER_WEEK);
  for (const { start, stop } of week) minutes.fill(1, start, stop);
  return minutes;
}

describe('intervals of the API', () => {
  test('that overlap or touch are one', () => {
    expect(weekOf([interval(60, 120), interval(0, 60), interval(90, 100)])).toEqual([
      { start: 0, stop: 120 },
    ]);
  });

  test('that wrap around the end of the week are two in the week, and one again', () => {
    const night = interval(SUNDAY + 22 * HOUR, 6 * HOUR);
    const week = weekOf([night]);
    expect(week).toEqual([
      { start: 0, stop: 6 * HOUR },
      { start: SUNDAY + 22 * HOUR, stop: MINUTES_PER_WEEK },
    ]);
    expect(intervalsOf(week)).toEqual([night]);
    expect(runsOf(week)).toEqual([{ start: SUNDAY + 22 * HOUR, stop: MINUTES_PER_WEEK + 6 * HOUR }]);
  });

  test('that stop where they start are the whole week', () => {
    expect(weekOf([interval(540, 540)])).toEqual(ALWAYS);
    expect(intervalsOf(ALWAYS)).toEqual([interval(0, MINUTES_PER_WEEK)]);
    expect(intervalsOf(NEVER)).toEqual([]);
  });

  test('keep their minutes when nothing is painted', () => {
    const odd = [interval(547, 1_021), interval(3_000, 3_001)];
    expect(intervalsOf(weekOf(odd))).toEqual(odd);
  });

  test('mean the same after a way through the week', () => {
    const minute = fc.integer({ min: 0, max: MINUTES_PER_WEEK });
    fc.assert(
      fc.property(fc.array(fc.tuple(minute, minute), { maxLength: 6 }), (pairs) => {
        const week = weekOf(pairs.map(([start, stop]) => interval(start, stop)));
        expect(weekOf(intervalsOf(week))).toEqual(week);
        for (const { minuteOfWeekStart, minuteOfWeekStop } of intervalsOf(week)) {
          expect(minuteOfWeekStart).toBeLessThan(MINUTES_PER_WEEK);
          expect(minuteOfWeekStop).toBeGreaterThan(0);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('painting', () => {
  test('turns minutes on and off, as their definition says', () => {
    const span = fc
      .tuple(fc.nat(MINUTES_PER_WEEK - 1), fc.integer({ min: 1, max: 3_000 }))
      .map(([start, length]) => ({ start, stop: Math.min(start + length, MINUTES_PER_WEEK) }));
    const strokes = fc.array(fc.tuple(span, fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(strokes, (made) => {
        const expected = Buffer.alloc(MINUTES_PER_WEEK);
        let week: Week = NEVER;
        for (const [stroke, isOn] of made) {
          const before = structuredClone(week);
          const after = paint(week, stroke, isOn);
          expect(week).toEqual(before);
          week = after;
          expected.fill(Number(isOn), stroke.start, stroke.stop);
        }
        expect(minutesOf(week).equals(expected)).toBe(true);
        // In order, apart from each other.
        week.forEach(({ start, stop }, i) => {
          expect(stop).toBeGreaterThan(start);
          if (i > 0) expect(start).toBeGreaterThan(week[i - 1]!.stop);
        });
      }),
      { numRuns: 60 },
    );
  });

  test('a block is the same time on days in a row, whichever corner it began at', () => {
    const corners = { from: { day: 4, cell: 67 }, to: { day: 0, cell: 36 } };
    const office = paintBlock(NEVER, corners, true);
    expect(intervalsOf(office)).toEqual(
      [0, 1, 2, 3, 4].map((day) => interval(day * MINUTES_PER_DAY + 540, day * MINUTES_PER_DAY + 1_020)),
    );
    expect(isInBlock({ day: 2, cell: 36 }, corners)).toBe(true);
    expect(isInBlock({ day: 5, cell: 36 }, corners)).toBe(false);
    expect(isInBlock({ day: 2, cell: 68 }, corners)).toBe(false);
    expect(paintBlock(office, corners, false)).toEqual(NEVER);
  });

  test('a block turns on what is not all on, and off what is', () => {
    const cell = { day: 0, cell: 0 };
    const block = { from: cell, to: { day: 0, cell: 1 } };
    const half = paintBlock(NEVER, { from: cell, to: cell }, true);
    expect(turnsOn(NEVER, block)).toBe(true);
    expect(turnsOn(half, block)).toBe(true);
    expect(turnsOn(paintBlock(half, block, true), block)).toBe(false);
  });

  test('times that are not later end on the next day, also after the end of the week', () => {
    const nights = paintTimes(NEVER, [5, 6], 22 * HOUR, 6 * HOUR, true);
    expect(intervalsOf(nights)).toEqual([
      interval(5 * MINUTES_PER_DAY + 22 * HOUR, SUNDAY + 6 * HOUR),
      interval(SUNDAY + 22 * HOUR, 6 * HOUR),
    ]);
    expect(paintTimes(nights, [5, 6], 22 * HOUR, 6 * HOUR, false)).toEqual(NEVER);
    expect(paintTimes(NEVER, [0, 1, 2, 3, 4, 5, 6], 22 * HOUR, 6 * HOUR, true)).toHaveLength(8);
  });

  test('from midnight to midnight is the whole day', () => {
    expect(paintTimes(NEVER, [6], 0, 0, true)).toEqual([{ start: SUNDAY, stop: MINUTES_PER_WEEK }]);
    expect(paintTimes(NEVER, [6], 18 * HOUR, 0, true)).toEqual([
      { start: SUNDAY + 18 * HOUR, stop: MINUTES_PER_WEEK },
    ]);
    expect(paintTimes(NEVER, [0, 1, 2, 3, 4, 5, 6], 0, 0, true)).toEqual(ALWAYS);
  });
});

test('a cell is on, off, or on for a part', () => {
  const week = weekOf([interval(547, 600)]);
  expect(coverage(week, spanOfCell({ day: 0, cell: 35 }))).toBe('none');
  expect(coverage(week, spanOfCell({ day: 0, cell: 36 }))).toBe('part');
  expect(coverage(week, spanOfCell({ day: 0, cell: 37 }))).toBe('all');
  expect(coverage(week, spanOfCell({ day: 0, cell: 40 }))).toBe('none');
});

test('a day has its parts of what runs through midnight', () => {
  const week = weekOf([interval(22 * HOUR, MINUTES_PER_DAY + 6 * HOUR)]);
  expect(partsOfDay(week, 0)).toEqual([{ start: 22 * HOUR, stop: MINUTES_PER_DAY }]);
  expect(partsOfDay(week, 1)).toEqual([{ start: 0, stop: 6 * HOUR }]);
  expect(partsOfDay(week, 2)).toEqual([]);
});

test('weeks are the same if their minutes are', () => {
  expect(isSameWeek(weekOf([interval(0, 60), interval(60, 90)]), weekOf([interval(0, 90)]))).toBe(true);
  expect(isSameWeek(NEVER, ALWAYS)).toBe(false);
  expect(isSameWeek(weekOf([interval(0, 60)]), weekOf([interval(0, 61)]))).toBe(false);
});
