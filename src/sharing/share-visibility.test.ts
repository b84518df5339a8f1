import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { Schedule } from '../store/entities.ts';
import { sampleShare, sampleWeeklySchedule } from '../store/sample-entities-fixture.ts';
import { decideAccess } from './access-decision.ts';
import { scheduleStateAt } from './schedule-state.ts';
import {
  nextChange,
  type ShownShare,
  shownShare,
  shownWall,
  visibilitySentence,
} from './share-visibility.ts';

/** Tuesday 2026-12-01, 14:00 in UTC and 09:00 in New York. */
const NOW = Date.UTC(2026, 11, 1, 14);
const HOUR_MS = 3_600_000;
const NEW_YORK = 'America/New_York';
const orgUuid = newRuuid();
const open = sampleShare(orgUuid, { scheduleUuid: null, expiresAtSec: null, passwordHash: null });
/** Tuesdays from 9:00 to 17:00. */
const hours = sampleWeeklySchedule(orgUuid, {
  name: 'Office hours',
  intervals: [{ minuteOfWeekStart: 1_980, minuteOfWeekStop: 2_460 }],
});

function shareWith(
  terms: Partial<ShownShare['terms']>,
  schedule: Schedule | null = hours,
  others: Partial<ShownShare> = {},
): ShownShare {
  const { timeZone = NEW_YORK } = others;
  return {
    terms: { ...open, ...terms },
    schedule: terms.scheduleUuid === undefined ? null : schedule,
    stateAt: (epochMs) => (schedule === null ? null : scheduleStateAt(schedule, timeZone, epochMs)),
    isCameraRemoved: false,
    timeZone,
    ...others,
  };
}
const during = { scheduleUuid: hours.uuid, invertSchedule: false };
const outside = { scheduleUuid: hours.uuid, invertSchedule: true };
const expiresAtSec = NOW / 1_000 + 3_600;

const said = (share: ShownShare, epochMs = NOW) =>
  visibilitySentence(shownShare(share).at(epochMs), epochMs, share.timeZone);
const changeOf = (share: ShownShare, epochMs = NOW) => {
  const change = nextChange(shownShare(share), epochMs);
  return change === null ? null : [change.atEpochMs - NOW, change.reason];
};

describe('visibilitySentence', () => {
  it.each([
    ['Visible at 2026-12-01 09:00 because the schedule ‘Office hours’ is active.', shareWith(during), 0],
    [
      'Not visible at 2026-12-01 08:59 because the schedule ‘Office hours’ is not active.',
      shareWith(during),
      -1,
    ],
    [
      'Not visible at 2026-12-01 09:00 because the schedule ‘Office hours’, which hides it, is active.',
      shareWith(outside),
      0,
    ],
    [
      'Visible at 2026-12-01 08:59 because the schedule ‘Office hours’, which hides it, is not active.',
      shareWith(outside),
      -1,
    ],
    ['Visible at 2026-12-01 09:00 because the share has no schedule.', shareWith({}), 0],
    ['Not visible at 2026-12-01 09:00 because its schedule does not exist.', shareWith(during, null), 0],
    [
      'Not visible at 2026-12-01 10:00 because the share expired at 2026-12-01 10:00.',
      shareWith({ ...during, expiresAtSec }),
      HOUR_MS,
    ],
    [
      'Not visible at 2026-12-01 09:00 because its camera was removed.',
      shareWith(during, hours, { isCameraRemoved: true }),
      0,
    ],
    [
      'Not visible at 2026-12-01 14:00 because the time zone Mars/Base of its location is unknown.',
      shareWith(during, hours, { timeZone: 'Mars/Base' }),
      0,
    ],
  ])('says: %s', (sentence, share, afterMs) => {
    expect(said(share, NOW + afterMs)).toBe(sentence);
  });
});

describe('nextChange', () => {
  it.each([
    ['the end of the schedule', shareWith(during), [8 * HOUR_MS, 'hidden-by-schedule']],
    ['the end of an inverted schedule', shareWith(outside), [8 * HOUR_MS, null]],
    ['the expiration', shareWith({ ...during, expiresAtSec }), [HOUR_MS, 'expired']],
    ['the expiration while it is hidden', shareWith({ ...outside, expiresAtSec }), [HOUR_MS, 'expired']],
    ['nothing without a rule', shareWith({}), null],
    ['nothing without its schedule', shareWith(during, null), null],
  ])('is %s', (_name, share, expected) => {
    expect(changeOf(share)).toEqual(expected);
  });

  it('is nothing after the expiration, and nothing but the expiration after the removal of the camera', () => {
    expect(changeOf(shareWith({ ...during, expiresAtSec }), NOW + HOUR_MS)).toBeNull();
    const removed = shareWith({ ...during, expiresAtSec }, hours, { isCameraRemoved: true });
    expect(changeOf(removed)).toEqual([HOUR_MS, 'expired']);
  });

  it('is what the access decision says at every instant', () => {
    const minute = fc.integer({ min: 0, max: 10_080 });
    const weekly = fc.record({
      kind: fc.constant('weekly' as const),
      spans: fc.array(fc.tuple(minute, minute), { maxLength: 3 }),
    });
    const absolute = fc.record({
      kind: fc.constant('absolute' as const),
      spans: fc.array(fc.tuple(fc.nat(20_000), fc.integer({ min: 1, max: 20_000 })), { maxLength: 3 }),
    });
    const made = fc.record({
      schedule: fc.option(fc.oneof(weekly, absolute)),
      hasRule: fc.boolean(),
      invertSchedule: fc.boolean(),
      expiresInMin: fc.option(fc.integer({ min: -20_000, max: 20_000 })),
      timeZone: fc.constantFrom(NEW_YORK, 'Europe/Berlin', 'UTC', 'Mars/Base'),
      // Around the change to and from daylight saving time, too.
      startMs: fc.constantFrom(NOW, Date.UTC(2026, 2, 8), Date.UTC(2026, 10, 1)),
      probesMin: fc.array(fc.nat(40_000), { maxLength: 8 }),
    });
    const property = fc.property(made, (given) => {
      const base = { ...hours, intervals: undefined };
      const schedule: Schedule | null =
        given.schedule === null
          ? null
          : given.schedule.kind === 'weekly'
            ? {
                ...hours,
                intervals: given.schedule.spans.map(([minuteOfWeekStart, minuteOfWeekStop]) => ({
                  minuteOfWeekStart,
                  minuteOfWeekStop,
                })),
              }
            : ({
                ...base,
                strategy: 'ABSOLUTE_SECONDS',
                intervals: given.schedule.spans.map(([fromMin, lengthMin]) => {
                  const startSec = given.startMs / 1_000 + fromMin * 60;
                  return { startSec, stopSec: startSec + lengthMin * 60 };
                }),
              } as Schedule);
      const terms = {
        ...open,
        scheduleUuid: given.hasRule ? hours.uuid : null,
        invertSchedule: given.invertSchedule,
        passwordHash: '$scrypt$',
        expiresAtSec: given.expiresInMin === null ? null : given.startMs / 1_000 + given.expiresInMin * 60,
      };
      const share = shareWith(terms, schedule, { timeZone: given.timeZone });
      const decided = (epochMs: number) => {
        const decision = decideAccess({
          credential: { kind: 'link', isPasswordProven: true, isSignInProven: true },
          share: terms,
          schedule: schedule === null ? null : scheduleStateAt(schedule, given.timeZone, epochMs),
          ended: null,
          admittedTo: null,
          nowEpochMs: epochMs,
          otherViewers: 0,
          maxViewers: null,
        });
        return decision.allowed ? null : decision.reason;
      };
      const shown = shownShare(share);
      const now = decided(given.startMs);
      expect(shown.at(given.startMs).reason).toBe(now);
      const change = nextChange(shown, given.startMs);
      for (const probeMin of given.probesMin) {
        const probeMs = given.startMs + probeMin * 60_000;
        expect(shown.at(probeMs).reason).toBe(decided(probeMs));
        if (change === null || probeMs < change.atEpochMs) expect(decided(probeMs)).toBe(now);
      }
      if (change === null) return;
      expect(change.atEpochMs).toBeGreaterThan(given.startMs);
      expect(decided(change.atEpochMs - 1)).toBe(now);
      expect(change.reason).toBe(decided(change.atEpochMs));
      expect(change.reason).not.toBe(now);
    });
    fc.assert(property, randomRuns(300));
  });
});

describe('shownWall', () => {
  const terms = { ...open, expiresAtSec };
  const [hidden, visible] = [shownShare(shareWith(outside)), shownShare(shareWith(during))];

  it('is visible while one of its cameras is', () => {
    const wall = shownWall(terms, NEW_YORK, [hidden, visible]);
    expect(visibilitySentence(wall.at(NOW), NOW, NEW_YORK)).toBe(
      'Visible at 2026-12-01 09:00 because 1 of 2 cameras is shown.',
    );
    expect(nextChange(wall, NOW)).toMatchObject({ atEpochMs: NOW + HOUR_MS, reason: 'expired' });
  });

  it('is hidden if all are, until the first returns', () => {
    const wall = shownWall({ ...open }, NEW_YORK, [hidden, hidden]);
    expect(wall.at(NOW).reason).toBe('hidden-by-schedule');
    expect(wall.at(NOW).because()).toBe('a schedule hides each of its cameras');
    expect(nextChange(wall, NOW)).toMatchObject({ atEpochMs: NOW + 8 * HOUR_MS, isVisible: true });
  });

  it('is visible without cameras, as its page is', () => {
    expect(shownWall({ ...open }, NEW_YORK, []).at(NOW).isVisible).toBe(true);
  });
});
