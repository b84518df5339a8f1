import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scheduleStateAt } from '../../src/sharing/schedule-state.ts';
import type { Schedule } from '../../src/store/entities.ts';
import { type ScheduleItem, scheduleNow } from './schedule-now.ts';
import { MINUTES_PER_WEEK } from './week.ts';

const FACTS = { uuid: 'AAAAAAAAAAAAAAAAAAAAAA', orgUuid: 'o', oneTimeUse: false, name: 'Any', mutable: true };
const STORED = { ...FACTS, orgUuid: FACTS.uuid, oneTimeUse: false, createdAtMs: 0, updatedAtMs: 0 };
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Africa/Casablanca',
];
const DAY_MS = 86_400_000;
/** Clocks in Berlin are set forward at 2026-03-29T01:00Z, back at 2026-10-25T01:00Z. */
const YEAR_START_MS = Date.UTC(2026, 0, 1);

const weekly = (intervals: readonly (readonly [start: number, stop: number])[]): ScheduleItem => ({
  ...FACTS,
  strategy: 'WEEKLY_REPEATING_MINUTES',
  intervalList: intervals.map(([minuteOfWeekStart, minuteOfWeekStop]) => ({
    minuteOfWeekStart,
    minuteOfWeekStop,
  })),
});

/** The gateway's decision. */
function decided(schedule: ScheduleItem, timeZone: string, atMs: number) {
  const stored = { ...STORED, ...storedPart(schedule) } as Schedule;
  const state = scheduleStateAt(stored, timeZone, atMs);
  return state && { isOn: state.isInside, changesAtMs: state.changesAtEpochMs };
}

function storedPart(schedule: ScheduleItem): object {
  switch (schedule.strategy) {
    case 'WEEKLY_REPEATING_MINUTES':
      return { strategy: schedule.strategy, intervals: schedule.intervalList };
    case 'ABSOLUTE_SECONDS': {
      const intervals = schedule.intervalList.map(({ b, e }) => ({ startSec: b, stopSec: e }));
      return { strategy: schedule.strategy, intervals };
    }
    case 'REALTIME_RELATIVE_SECONDS':
      return schedule;
    case 'RELATIVE_DATETIME_INTERVALS': {
      const intervals = schedule.intervals.map(({ localStartDateTime, localEndDateTime }) => ({
        localStart: localStartDateTime,
        localStop: localEndDateTime,
      }));
      return { strategy: schedule.strategy, intervals };
    }
  }
}

const zone = fc.constantFrom(...ZONES);
const moment = fc.integer({ min: 0, max: 365 * 24 * 60 * 60 }).map((sec) => YEAR_START_MS + sec * 1_000);

describe('agrees with the gateway', () => {
  test('about weekly schedules', () => {
    const minute = fc.integer({ min: 0, max: MINUTES_PER_WEEK });
    const intervals = fc.array(fc.tuple(minute, minute), { maxLength: 5 });
    fc.assert(
      fc.property(intervals, zone, moment, (pairs, timeZone, atMs) => {
        const schedule = weekly(pairs);
        expect(scheduleNow(schedule, timeZone, atMs)).toEqual(decided(schedule, timeZone, atMs));
      }),
      { numRuns: 400 },
    );
  });

  test.each(['2026-03-29', '2026-10-25'])('about the night of %s, in which clocks are set', (date) => {
    const fromMs = Date.parse(`${date}T00:00Z`) - DAY_MS;
    const quarter = fc.integer({ min: 0, max: 3 * 96 }).map((count) => fromMs + count * 900_000);
    // Saturday 20:00 to Monday 4:00, in quarters.
    const minute = fc
      .integer({ min: 5 * 96 + 80, max: 7 * 96 + 16 })
      .map((count) => (count * 15) % MINUTES_PER_WEEK);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(minute, minute), { minLength: 1, maxLength: 3 }),
        quarter,
        (pairs, atMs) => {
          const schedule = weekly(pairs);
          expect(scheduleNow(schedule, 'Europe/Berlin', atMs)).toEqual(
            decided(schedule, 'Europe/Berlin', atMs),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test('about spans of time', () => {
    const span = fc
      .tuple(moment, fc.integer({ min: 1, max: 5_000_000 }))
      .map(([startMs, lengthSec]) => ({ b: startMs / 1_000, e: startMs / 1_000 + lengthSec }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 6 }), moment, (intervalList, atMs) => {
        const schedule: ScheduleItem = { ...FACTS, strategy: 'ABSOLUTE_SECONDS', intervalList };
        expect(scheduleNow(schedule, 'UTC', atMs)).toEqual(decided(schedule, 'UTC', atMs));
      }),
      { numRuns: 200 },
    );
  });

  test.each(ZONES)('about local dates and times in %s', (timeZone) => {
    for (const day of ['2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2026-07-01']) {
      for (const time of ['00:30:00', '01:45:00', '02:30:00', '03:00:00', '12:00:00']) {
        const schedule: ScheduleItem = {
          ...FACTS,
          strategy: 'RELATIVE_DATETIME_INTERVALS',
          intervals: [{ localStartDateTime: `${day}T${time}`, localEndDateTime: '2026-12-24T18:00:00' }],
        };
        for (const atMs of [YEAR_START_MS, Date.UTC(2026, 11, 1)]) {
          expect(scheduleNow(schedule, timeZone, atMs)).toEqual(decided(schedule, timeZone, atMs));
        }
      }
    }
  });
});

test('says when office hours end, and when they begin again after the weekend', () => {
  const office = weekly([0, 1, 2, 3, 4].map((day) => [day * 1_440 + 540, day * 1_440 + 1_020]));
  const friday = Date.parse('2026-11-20T12:00+01:00');
  expect(scheduleNow(office, 'Europe/Berlin', friday)).toEqual({
    isOn: true,
    changesAtMs: Date.parse('2026-11-20T17:00+01:00'),
  });
  expect(scheduleNow(office, 'Europe/Berlin', Date.parse('2026-11-20T17:00+01:00'))).toEqual({
    isOn: false,
    changesAtMs: Date.parse('2026-11-23T09:00+01:00'),
  });
});

test('does not know a zone that does not exist', () => {
  expect(scheduleNow(weekly([[0, 60]]), 'Mars/Olympus', YEAR_START_MS)).toBeNull();
  expect(scheduleNow(weekly([]), 'Mars/Olympus', YEAR_START_MS)).toEqual({ isOn: false, changesAtMs: null });
});

test('a schedule of recent time is always on', () => {
  const recent: ScheduleItem = { ...FACTS, strategy: 'REALTIME_RELATIVE_SECONDS', pastSeconds: 60 };
  expect(scheduleNow(recent, 'UTC', YEAR_START_MS)).toEqual({ isOn: true, changesAtMs: null });
});
