import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import {
  attemptDelayMs,
  FIRST_RETRY_MS,
  LAST_RETRY_MS,
  MAX_RETRY_AFTER_MS,
  MIN_SPACING_MS,
  NO_ATTEMPTS,
  type RenewalRecord,
  requestedDelayMs,
} from './renewal-schedule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 5, 1);
const YEAR_MS = 365 * DAY_MS;

/** A certificate of 90 days, issued `ageMs` ago. */
const held = (ageMs: number, isWanted = true) => ({
  validFromEpochMs: NOW_MS - ageMs,
  validToEpochMs: NOW_MS - ageMs + 90 * DAY_MS,
  isWanted,
});
const record = (more: Partial<RenewalRecord>): RenewalRecord => ({ ...NO_ATTEMPTS, ...more });
const daysUntil = (...[certificate, of, jitter = 0]: [ReturnType<typeof held>, RenewalRecord, number?]) =>
  attemptDelayMs(certificate, of, NOW_MS, jitter) / DAY_MS;

describe('a certificate', () => {
  it.each<[string, ReturnType<typeof held>, RenewalRecord, number, number]>([
    ['is renewed when a third of its life is left', held(0), NO_ATTEMPTS, 0, 60],
    ['is renewed a little earlier by chance', held(0), NO_ATTEMPTS, 1, 55.5],
    ['is renewed at once when less is left', held(61 * DAY_MS), NO_ATTEMPTS, 0, 0],
    ['is renewed at once when it has expired', held(YEAR_MS), NO_ATTEMPTS, 0, 0],
    [
      'is ordered at once if it is not of the ACME server or for other domains',
      held(0, false),
      NO_ATTEMPTS,
      0,
      0,
    ],
    ['that is valid only later has its whole life', held(-3 * DAY_MS), NO_ATTEMPTS, 0, 60],
    [
      'is as old as this machine has had it, if its clock is wrong for good',
      held(YEAR_MS),
      record({ issuedAtEpochMs: NOW_MS - 10 * DAY_MS }),
      0,
      50,
    ],
    [
      'is as old as it says, if the clock was ahead when it was issued',
      held(40 * DAY_MS),
      record({ issuedAtEpochMs: NOW_MS + YEAR_MS }),
      0,
      20,
    ],
  ])('%s', (_what, certificate, of, jitter, days) => {
    expect(daysUntil(certificate, of, jitter)).toBeCloseTo(days, 6);
  });

  it('that lives for six days is renewed after four', () => {
    const certificate = { validFromEpochMs: NOW_MS, validToEpochMs: NOW_MS + 6 * DAY_MS, isWanted: true };
    expect(daysUntil(certificate, NO_ATTEMPTS)).toBeCloseTo(4, 6);
  });
});

describe('after a failure', () => {
  const waitMs = (failures: number, more: Partial<RenewalRecord> = {}, jitter = 0) =>
    attemptDelayMs(held(0, false), record({ failures, attemptedAtEpochMs: NOW_MS, ...more }), NOW_MS, jitter);

  it('the wait begins with minutes, doubles, and ends with hours', () => {
    expect([1, 2, 3, 4].map((failures) => waitMs(failures) / FIRST_RETRY_MS)).toEqual([1, 2, 4, 8]);
    expect([7, 8, 60, 1e9].map((failures) => waitMs(failures) / LAST_RETRY_MS)).toEqual([320 / 360, 1, 1, 1]);
    expect(waitMs(1, {}, 1)).toBe(FIRST_RETRY_MS * 1.25);
  });

  it('the wait is what the ACME server asks for, if that is longer, and not without end', () => {
    expect(waitMs(1, { retryAfterMs: 2 * DAY_MS })).toBe(2 * DAY_MS);
    expect(waitMs(3, { retryAfterMs: 1_000 })).toBe(4 * FIRST_RETRY_MS);
    expect(waitMs(1, { retryAfterMs: YEAR_MS })).toBe(MAX_RETRY_AFTER_MS);
  });

  it('a restart waits for the rest; a clock that was set back makes it start over, not longer', () => {
    expect(waitMs(1, { attemptedAtEpochMs: NOW_MS - 60_000 })).toBe(FIRST_RETRY_MS - 60_000);
    expect(waitMs(1, { attemptedAtEpochMs: NOW_MS + YEAR_MS })).toBe(FIRST_RETRY_MS);
  });
});

describe('when someone asks for an attempt', () => {
  const waitMs = (sinceMs: number, more: Partial<RenewalRecord> = {}) =>
    requestedDelayMs(record({ failures: 9, attemptedAtEpochMs: NOW_MS - sinceMs, ...more }), NOW_MS);

  it('it is made at once, but not right after another', () => {
    expect(requestedDelayMs(NO_ATTEMPTS, NOW_MS)).toBe(0);
    expect([0, 4_000, HOUR_MS, -HOUR_MS].map((sinceMs) => waitMs(sinceMs))).toEqual([
      MIN_SPACING_MS,
      MIN_SPACING_MS - 4_000,
      0,
      MIN_SPACING_MS,
    ]);
  });

  it('it waits for the time that the ACME server gave', () => {
    expect(waitMs(HOUR_MS, { retryAfterMs: DAY_MS })).toBe(23 * HOUR_MS);
    expect(waitMs(0, { retryAfterMs: YEAR_MS })).toBe(MAX_RETRY_AFTER_MS);
  });
});

it('whatever clocks and files say, the wait is a time, and never zero right after an attempt', () => {
  const time = fc.integer({ min: NOW_MS - 2 * YEAR_MS, max: NOW_MS + 2 * YEAR_MS });
  fc.assert(
    fc.property(
      time,
      fc.integer({ min: 1_000, max: YEAR_MS }),
      fc.boolean(),
      fc.option(time),
      fc.nat({ max: 100 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (validFromEpochMs, lifetimeMs, isWanted, issuedAtEpochMs, failures, jitter) => {
        const certificate = { validFromEpochMs, validToEpochMs: validFromEpochMs + lifetimeMs, isWanted };
        const after = record({ attemptedAtEpochMs: NOW_MS, failures, issuedAtEpochMs });
        const delayMs = attemptDelayMs(certificate, after, NOW_MS, jitter);
        expect(Number.isFinite(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(MIN_SPACING_MS);
        if (failures > 0) expect(delayMs).toBeGreaterThanOrEqual(FIRST_RETRY_MS);
      },
    ),
    randomRuns(2_000),
  );
});
