/** A change that may be stored later must never show more. The rules that decide what viewers see judge it (schedule-state.ts). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { Schedule } from '../store/entities.ts';
import { MINUTES_PER_WEEK, scheduleStateAt } from './schedule-state.ts';
import { showsNoMore, type Times } from './shown-less.ts';

const COMMON = {
  uuid: newRuuid(),
  orgUuid: newRuuid(),
  name: 'Hours',
  mutable: true,
  oneTimeUse: false,
  createdAtMs: 0,
  updatedAtMs: 0,
};
/** Monday 2026-01-05T00:00Z, when a week begins. */
const MONDAY_MS = Date.UTC(2026, 0, 5);

type Pairs = readonly (readonly [number, number])[];

function weekly(pairs: Pairs): Schedule {
  const intervals = pairs.map(([minuteOfWeekStart, minuteOfWeekStop]) => ({
    minuteOfWeekStart,
    minuteOfWeekStop,
  }));
  return { ...COMMON, strategy: 'WEEKLY_REPEATING_MINUTES', intervals };
}

function absolute(pairs: Pairs): Schedule {
  const intervals = pairs.map(([startSec, stopSec]) => ({ startSec, stopSec }));
  return { ...COMMON, strategy: 'ABSOLUTE_SECONDS', intervals };
}

const shown = (schedule: Schedule | null, isInverted = false): Times => ({ schedule, isInverted });
const [NIGHT, MORNING] = [weekly([[1_320, 360]]), weekly([[480, 720]])];

describe('a change of times shows no more', () => {
  it.each<[string, Times, Times, boolean]>([
    ['there was no schedule', shown(null), shown(NIGHT), true],
    ['there is none anymore', shown(NIGHT), shown(null), false],
    ['there was none, and is none', shown(null), shown(null), true],
    ['nothing changes', shown(NIGHT), shown(NIGHT), true],
    ['the same hours are inverted', shown(NIGHT), shown(NIGHT, true), false],
    ['part of the hours is left', shown(weekly([[480, 720]])), shown(weekly([[500, 720]])), true],
    ['a minute is added', shown(MORNING), shown(weekly([[480, 721]])), false],
    ['other hours come', shown(MORNING), shown(NIGHT), false],
    ['all hours go', shown(MORNING), shown(weekly([])), true],
    ['all inverted hours go', shown(MORNING, true), shown(weekly([]), true), false],
    ['inverted hours grow', shown(MORNING, true), shown(weekly([[480, 900]]), true), true],
    ['part of a night across the end of the week is left', shown(NIGHT), shown(weekly([[1_400, 100]])), true],
    [
      'a night is written as two spans',
      shown(NIGHT),
      shown(
        weekly([
          [1_320, MINUTES_PER_WEEK - 1],
          [0, 360],
        ]),
      ),
      true,
    ],
    [
      'inverted hours become what is outside of them',
      shown(MORNING, true),
      shown(weekly([[720, 480]])),
      true,
    ],
    ['a span becomes shorter', shown(absolute([[10, 20]])), shown(absolute([[12, 20]])), true],
    ['a span becomes longer', shown(absolute([[10, 20]])), shown(absolute([[10, 21]])), false],
    [
      'two spans that touch are one',
      shown(
        absolute([
          [10, 20],
          [20, 30],
        ]),
      ),
      shown(absolute([[15, 25]])),
      true,
    ],
    [
      'two spans with a gap are not',
      shown(
        absolute([
          [10, 20],
          [21, 30],
        ]),
      ),
      shown(absolute([[15, 25]])),
      false,
    ],
    [
      'spans in another order',
      shown(
        absolute([
          [21, 30],
          [10, 20],
        ]),
      ),
      shown(absolute([[10, 20]])),
      true,
    ],
    ['an inverted span grows', shown(absolute([[10, 20]]), true), shown(absolute([[5, 25]]), true), true],
    ['an inverted span shrinks', shown(absolute([[10, 20]]), true), shown(absolute([[12, 18]]), true), false],
    [
      'an inverted span becomes what follows it',
      shown(absolute([[10, 20]]), true),
      shown(absolute([[20, 30]])),
      true,
    ],
    ['hours become a span', shown(MORNING), shown(absolute([[10, 20]])), false],
  ])('%s', (_what, before, after, isLess) => {
    expect(showsNoMore(before, after)).toBe(isLess);
  });

  it('never if hours of another kind change: single instants would have to be judged', () => {
    const relative = (pastSeconds: number): Times =>
      shown({ ...COMMON, strategy: 'REALTIME_RELATIVE_SECONDS', pastSeconds });
    expect(showsNoMore(relative(60), relative(30))).toBe(false);
    const local = (localStop: string): Times =>
      shown({
        ...COMMON,
        strategy: 'RELATIVE_DATETIME_INTERVALS',
        intervals: [{ localStart: '2026-01-05T08:00:00', localStop }],
      });
    expect(showsNoMore(local('2026-01-05T12:00:00'), local('2026-01-05T11:00:00'))).toBe(false);
  });

  it.each<[string, number, number, (pairs: Pairs) => Schedule]>([
    ['weekly', MINUTES_PER_WEEK - 1, 60_000, weekly],
    ['absolute', 200, 1_000, absolute],
  ])('exactly if no viewer sees more (%s)', (_kind, most, unitMs, scheduleOf) => {
    const pair = fc.tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 0, max: most }));
    const inOrder = pair.filter(([start, stop]) => scheduleOf === weekly || start < stop);
    const times = fc.tuple(fc.array(inOrder, { maxLength: 3 }), fc.boolean());
    const originMs = scheduleOf === weekly ? MONDAY_MS : 0;
    const property = fc.property(times, times, ([before, wasInverted], [after, isInverted]) => {
      const [one, other] = [scheduleOf(before), scheduleOf(after)];
      // Whatever changes, changes at one of these.
      const edges = [...before, ...after].flat().flatMap((edge) => [edge - 1, edge, edge + 1]);
      const showsMore = [0, most, ...edges].some((edge) => {
        const at = originMs + Math.max(0, Math.min(most, edge)) * unitMs;
        const isShownBy = (schedule: Schedule, inverted: boolean): boolean =>
          scheduleStateAt(schedule, 'UTC', at)!.isInside !== inverted;
        return isShownBy(other, isInverted) && !isShownBy(one, wasInverted);
      });
      expect(showsNoMore(shown(one, wasInverted), shown(other, isInverted))).toBe(!showsMore);
    });
    fc.assert(property, randomRuns(300));
  });
});
