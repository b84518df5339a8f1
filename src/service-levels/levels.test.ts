/** The arithmetic of service levels: percentiles, slots of a day, goals and their budgets. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import { attainmentOf } from './attainment.ts';
import type { Goals } from './goals.ts';
import { bucketOf, FIRST_PICTURE_BOUNDS_MS, percentileOf } from './histogram.ts';
import { LevelBooks } from './level-books.ts';
import { HISTORY_BYTES, LevelHistory, SLOT_MS, SLOTS } from './level-history.ts';
import { columnsOf } from './level-view.ts';
import { type Measurement, NOTHING_MEASURED } from './measurement.ts';

const GOALS: Goals = {
  firstPictureWithinMs: 1_500,
  firstPicturePercent: 99,
  delayWithinMs: 3_000,
  delayPercent: 99,
  playedPercent: 99.9,
  answeredPercent: 99.9,
};

const run = (fields: Partial<Measurement> = {}): Measurement => ({
  ...NOTHING_MEASURED,
  firstPictureMs: 800,
  playedMs: 30_000,
  delaysMs: new Array(30).fill(1_200),
  requests: 100,
  ...fields,
});

const { total: MAX_REPORTED_SHARES } = LIMITS.reportedShares;

describe('percentiles', () => {
  it('are in the bucket of the value that has the rank', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 200 }),
        fc.constantFrom(50, 95, 99),
        (values, percent) => {
          const counts = new Array<number>(FIRST_PICTURE_BOUNDS_MS.length + 1).fill(0);
          for (const value of values) counts[bucketOf(FIRST_PICTURE_BOUNDS_MS, value)]!++;
          const exact = values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1]!;
          const estimate = percentileOf(FIRST_PICTURE_BOUNDS_MS, counts, percent)!;
          const bucket = bucketOf(FIRST_PICTURE_BOUNDS_MS, exact);
          expect(estimate).toBeLessThanOrEqual(FIRST_PICTURE_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY);
          expect(estimate).toBeGreaterThanOrEqual(FIRST_PICTURE_BOUNDS_MS[bucket - 1] ?? 0);
        },
      ),
      randomRuns(200),
    );
  });

  it('are unknown if nothing was counted, and endless above the last bound', () => {
    expect(percentileOf([100, 200], [0, 0, 0], 95)).toBeNull();
    expect(percentileOf([100, 200], [1, 0, 9], 95)).toBe(Number.POSITIVE_INFINITY);
    expect(percentileOf([100, 200], [0, 10, 0], 50)).toBe(150);
  });
});

describe('a day of levels', () => {
  it('adds up what falls into the last hour and day, and forgets what is older', () => {
    const clock = new FakeClock();
    const history = new LevelHistory(clock);
    history.add(run({ firstPictureMs: 2_500 }), GOALS);
    clock.advance(2 * 3_600_000);
    history.add(run(), GOALS);
    expect(history.recent(12)).toMatchObject({
      measurements: 1,
      playedSec: 30,
      requests: 100,
      goodFirstPictures: 1,
    });
    expect(history.recent(SLOTS)).toMatchObject({ measurements: 2, firstPictures: 2, goodFirstPictures: 1 });
    clock.advance(23 * 3_600_000);
    expect(history.recent(SLOTS).measurements).toBe(1);
    clock.advance(10 * 86_400_000);
    expect(history.recent(SLOTS).measurements).toBe(0);
    expect(history.total.measurements).toBe(2);
  });

  it('has a slot for each five minutes, unknown where nothing was measured', () => {
    const clock = new FakeClock();
    const history = new LevelHistory(clock);
    history.add(run({ stalledMs: 10_000, stalls: 1, errors: { timeout: 1 } }), GOALS);
    clock.advance(SLOT_MS);
    const { timesMs, columns } = columnsOf(history, clock);
    expect(timesMs).toHaveLength(SLOTS);
    expect(timesMs.at(-1)).toBe(clock.epochMs());
    expect(columns.stalledPercent.at(-2)).toBe(25);
    expect(columns.failedPercent.at(-2)).toBe(1);
    expect(columns.firstPictureP95Ms.at(-2)).toBeGreaterThan(750);
    expect(columns.stalledPercent.at(-1)).toBeNaN();
    expect(columns.measurements.slice(-2)).toEqual([1, 0]);
  });

  it('takes as much memory as the documentation says', () => {
    expect(HISTORY_BYTES).toBeLessThan(60_000);
  });

  it('of one organization is kept, however many shares of another one are reported', () => {
    const own = newRuuid();
    const books = new LevelBooks(new FakeClock(), GOALS);
    books.add('viewers', own, run(), 'a');
    for (let count = 0; count < 2 * MAX_REPORTED_SHARES; count++)
      books.add('viewers', newRuuid(), run(), 'b');
    expect(books.of('viewers', own)?.total.measurements).toBe(1);
    expect([...books.shares('viewers')]).toHaveLength(MAX_REPORTED_SHARES);
  });

  it('is kept for a limited number of shares, all of them in the whole', () => {
    const books = new LevelBooks(new FakeClock(), GOALS);
    const shares = Array.from({ length: MAX_REPORTED_SHARES + 1 }, () => newRuuid());
    for (const share of shares) books.add('viewers', share, run());
    expect(books.of('viewers', shares[0]!)).toBeNull();
    expect(books.of('viewers', shares[1]!)).not.toBeNull();
    expect(books.overall('viewers').total.measurements).toBe(shares.length);
  });
});

describe('goals', () => {
  const day = (...measured: readonly Measurement[]) => {
    const history = new LevelHistory(new FakeClock());
    for (const each of measured) history.add(each, GOALS);
    return history.recent(SLOTS);
  };

  it('say how much was good, and how much of what may be bad is left', () => {
    const runs = new Array<Measurement>(199).fill(run());
    const attained = attainmentOf('firstPicture', GOALS, day(...runs, run({ firstPictureMs: 1_501 })));
    expect(attained).toMatchObject({ attainedPercent: 99.5, budgetLeftPercent: 50 });
  });

  it('count a picture that never came as bad', () => {
    const missing = { ...NOTHING_MEASURED, isWithoutPicture: true };
    expect(attainmentOf('firstPicture', GOALS, day(run(), missing))).toMatchObject({
      attainedPercent: 50,
      budgetLeftPercent: -4_900,
    });
  });

  it('are judged by seconds for delay and stalls, by requests for errors', () => {
    const sums = day(
      run({
        playedMs: 30_000,
        stalledMs: 10_000,
        delaysMs: [1_000, 5_000],
        errors: { connect: 2, other: 3 },
      }),
    );
    expect(attainmentOf('delay', GOALS, sums).attainedPercent).toBe(50);
    expect(attainmentOf('stalls', GOALS, sums).attainedPercent).toBe(75);
    expect(attainmentOf('errors', GOALS, sums).attainedPercent).toBe(95);
  });

  it('are neither met nor missed if nothing was measured; nothing may be bad at 100 percent', () => {
    expect(attainmentOf('errors', GOALS, day())).toMatchObject({
      attainedPercent: null,
      budgetLeftPercent: null,
    });
    const strict = { ...GOALS, answeredPercent: 100 };
    expect(attainmentOf('errors', strict, day(run()))).toMatchObject({
      attainedPercent: 100,
      budgetLeftPercent: null,
    });
  });
});
