import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { WeeklyMinuteInterval } from '../store/entities.ts';
import { sampleAbsoluteSchedule, sampleWeeklySchedule } from '../store/sample-entities-fixture.ts';
import { MINUTES_PER_WEEK, scheduleStateAt } from './schedule-state.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const at = (iso: string) => Date.parse(iso);
const weekly = (...spans: [start: number, stop: number][]) =>
  sampleWeeklySchedule(newRuuid(), {
    intervals: spans.map(([minuteOfWeekStart, minuteOfWeekStop]) => ({
      minuteOfWeekStart,
      minuteOfWeekStop,
    })),
  });
const absolute = (...spans: [start: number, stop: number][]) =>
  sampleAbsoluteSchedule(newRuuid(), {
    intervals: spans.map(([startSec, stopSec]) => ({ startSec, stopSec })),
  });
/** Minute of the week. */
const on = (day: string, hour: number, minute = 0) =>
  WEEKDAYS.indexOf(day) * DAY_MINUTES + hour * 60 + minute;

/**
 * The judge: reads the wall clock through Intl, and treats intervals only as the specification describes them
 * (docs/spec/conventions.md#weekly-schedules).
 */
class WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  }

  minuteOfWeek(epochMs: number): number {
    const parts = Object.fromEntries(
      this.#format.formatToParts(epochMs).map(({ type, value }) => [type, value]),
    );
    return on(parts.weekday!, Number(parts.hour), Number(parts.minute));
  }

  isInside(intervals: readonly WeeklyMinuteInterval[], epochMs: number): boolean {
    const minute = this.minuteOfWeek(epochMs);
    return intervals.some(({ minuteOfWeekStart: start, minuteOfWeekStop: stop }) =>
      stop > start ? minute >= start && minute < stop : minute >= start || minute < stop,
    );
  }
}

describe('weekly schedule', () => {
  const office = weekly([on('Mon', 9), on('Mon', 17)]);

  it.each([
    ['before', '2026-06-01T12:59:59.999Z', false, '2026-06-01T13:00:00Z'],
    ['at its first instant', '2026-06-01T13:00:00Z', true, '2026-06-01T21:00:00Z'],
    ['at its last instant', '2026-06-01T20:59:59.999Z', true, '2026-06-01T21:00:00Z'],
    ['at its stop, which is excluded', '2026-06-01T21:00:00Z', false, '2026-06-08T13:00:00Z'],
  ])('follows the clock of the location: %s', (_name, now, isInside, changesAt) => {
    const state = scheduleStateAt(office, 'America/New_York', at(now));
    expect(state).toEqual({ isInside, changesAtEpochMs: at(changesAt) });
  });

  it.each([
    [
      'stop below start wraps around the week',
      weekly([on('Sun', 22), on('Mon', 6)]),
      '2026-06-08T05:00Z',
      true,
      '2026-06-08T06:00Z',
    ],
    [
      'stop 0 is the end of the week',
      weekly([on('Sun', 22), 0]),
      '2026-06-07T23:00Z',
      true,
      '2026-06-08T00:00Z',
    ],
    [
      'stop 10080 is the same',
      weekly([on('Sun', 22), 10_080]),
      '2026-06-07T23:00Z',
      true,
      '2026-06-08T00:00Z',
    ],
    ['start 10080 is Monday 00:00', weekly([10_080, 60]), '2026-06-08T00:30Z', true, '2026-06-08T01:00Z'],
    [
      'touching intervals are one',
      weekly([0, 60], [60, 120]),
      '2026-06-08T00:30Z',
      true,
      '2026-06-08T02:00Z',
    ],
    [
      'touching across the end of the week',
      weekly([0, 60], [10_000, 10_080]),
      '2026-06-07T23:30Z',
      true,
      '2026-06-08T01:00Z',
    ],
    [
      'overlapping ones too',
      weekly([0, 90], [60, 120], [30, 40]),
      '2026-06-08T00:30Z',
      true,
      '2026-06-08T02:00Z',
    ],
  ])('%s', (_name, schedule, now, isInside, changesAt) => {
    expect(scheduleStateAt(schedule, 'UTC', at(now))).toEqual({ isInside, changesAtEpochMs: at(changesAt) });
  });

  it.each([
    ['start equal to stop', weekly([600, 600])],
    ['0 to 10080', weekly([0, 10_080])],
    ['0 to 0', weekly([0, 0])],
    ['pieces that join', weekly([5_000, 100], [100, 5_000])],
  ])('is always on: %s', (_name, schedule) => {
    expect(scheduleStateAt(schedule, 'Europe/Berlin', at('2026-03-29T00:59Z'))).toEqual({
      isInside: true,
      changesAtEpochMs: null,
    });
  });

  it('without intervals is never on', () => {
    expect(scheduleStateAt(weekly(), 'UTC', 0)).toEqual({ isInside: false, changesAtEpochMs: null });
  });

  it('is not a schedule in a zone that does not exist', () => {
    expect(scheduleStateAt(office, 'Atlantis/Capital', 0)).toBeNull();
  });

  it('skips minutes that daylight saving time skips: the whole interval is dropped, for a year', () => {
    const inTheGap = weekly([on('Sun', 2), on('Sun', 3)]);
    const now = at('2026-03-29T00:30Z'); // Sunday 01:30 in Berlin; 02:00 becomes 03:00
    expect(scheduleStateAt(inTheGap, 'Europe/Berlin', now)).toEqual({
      isInside: false,
      changesAtEpochMs: at('2026-04-05T00:00Z'),
    });
  });

  it('ends at the gap when its stop is skipped', () => {
    const overTheGap = weekly([on('Sun', 1), on('Sun', 2, 30)]);
    expect(scheduleStateAt(overTheGap, 'Europe/Berlin', at('2026-03-29T00:30Z'))).toEqual({
      isInside: true,
      changesAtEpochMs: at('2026-03-29T01:00Z'),
    });
  });

  it('counts a repeated hour twice', () => {
    const repeated = weekly([on('Sun', 2), on('Sun', 3)]);
    expect(scheduleStateAt(repeated, 'Europe/Berlin', at('2026-10-25T00:10Z'))).toEqual({
      isInside: true,
      changesAtEpochMs: at('2026-10-25T02:00Z'),
    });
  });

  it('falls back into an interval that had ended', () => {
    const early = weekly([on('Sun', 1), on('Sun', 2, 30)]);
    // 02:30 summer time, the end; at 03:00 the clock goes back to 02:00, inside again.
    expect(scheduleStateAt(early, 'Europe/Berlin', at('2026-10-25T00:30Z'))).toEqual({
      isInside: false,
      changesAtEpochMs: at('2026-10-25T01:00Z'),
    });
  });

  const CHANGES_OF_OFFSET = {
    'America/New_York': ['2026-03-08T07:00Z', '2026-11-01T06:00Z'],
    'Europe/Berlin': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
    'Australia/Lord_Howe': ['2026-04-04T15:00Z', '2026-10-03T15:30Z'], // half an hour
    'Asia/Kathmandu': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'], // none, but 5:45 ahead
  };

  it.each(Object.entries(CHANGES_OF_OFFSET))(
    'flips in %s exactly when the wall clock says so',
    (timeZone, changes) => {
      const wall = new WallClock(timeZone);
      // Boundaries of all kinds, many near the hours that change on Sunday mornings.
      const minute = fc.oneof(fc.nat(MINUTES_PER_WEEK), fc.integer({ min: on('Sun', 0), max: on('Sun', 5) }));
      const interval = fc.record({ minuteOfWeekStart: minute, minuteOfWeekStop: minute });
      const instant = fc
        .tuple(
          fc.constantFrom(...changes),
          fc.integer({ min: -2 * DAY_MINUTES, max: DAY_MINUTES }),
          fc.nat(59_999),
        )
        .map(([change, minutes, ms]) => at(change) + minutes * MINUTE_MS + ms);
      const property = fc.property(fc.array(interval, { maxLength: 3 }), instant, (intervals, nowEpochMs) => {
        const schedule = sampleWeeklySchedule(newRuuid(), { intervals });
        const state = scheduleStateAt(schedule, timeZone, nowEpochMs)!;
        expect(state.isInside).toBe(wall.isInside(intervals, nowEpochMs));
        const nextMinute = Math.floor(nowEpochMs / MINUTE_MS + 1) * MINUTE_MS;
        const { changesAtEpochMs } = state;
        // Minute by minute to the flip it names, for at most two days.
        const end = Math.min(
          changesAtEpochMs ?? Number.POSITIVE_INFINITY,
          nextMinute + 2 * DAY_MINUTES * MINUTE_MS,
        );
        for (let epochMs = nextMinute; epochMs < end; epochMs += MINUTE_MS) {
          if (wall.isInside(intervals, epochMs) !== state.isInside) {
            throw new Error(`flips already at ${new Date(epochMs).toISOString()}`);
          }
        }
        if (changesAtEpochMs === null) return;
        expect(wall.isInside(intervals, changesAtEpochMs)).toBe(!state.isInside);
        expect(wall.isInside(intervals, changesAtEpochMs - 1)).toBe(state.isInside);
      });
      fc.assert(property, randomRuns(50));
    },
  );
});

describe('absolute schedule', () => {
  const schedule = absolute([1_000, 2_000], [3_000, 4_000], [3_500, 5_000], [5_000, 6_000], [2_500, 2_600]);

  it.each([
    [0, false, 1_000],
    [1_000, true, 2_000],
    [1_999.999, true, 2_000],
    [2_000, false, 2_500],
    [3_200, true, 6_000],
    [5_999, true, 6_000],
    [6_000, false, null],
  ])('at %d s', (nowSec, isInside, changesAtSec) => {
    expect(scheduleStateAt(schedule, 'Nowhere/At_All', nowSec * 1_000)).toEqual({
      isInside,
      changesAtEpochMs: changesAtSec === null ? null : changesAtSec * 1_000,
    });
  });

  it('agrees with a check of every second', () => {
    const second = fc.nat(60);
    const spans = fc.array(fc.tuple(second, second), { maxLength: 6 });
    const property = fc.property(spans, second, (pairs, nowSec) => {
      const isInside = (sec: number) => pairs.some(([start, stop]) => sec >= start && sec < stop);
      const state = scheduleStateAt(absolute(...pairs), 'UTC', nowSec * 1_000)!;
      let flip: number | null = nowSec;
      while (flip !== null && isInside(flip) === isInside(nowSec)) flip = flip < 61 ? flip + 1 : null;
      expect(state).toEqual({
        isInside: isInside(nowSec),
        changesAtEpochMs: flip === null ? null : flip * 1_000,
      });
    });
    fc.assert(property, randomRuns(3_000));
  });
});
