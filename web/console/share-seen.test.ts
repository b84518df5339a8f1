import { expect, test } from 'vitest';
import type { ScheduleItem } from './schedule-now.ts';
import { type SeenState, type ShareItem, seenStates } from './share-seen.ts';

/** A Monday. */
const NOON_MS = Date.parse('2026-11-23T12:00Z');
const HOUR_MS = 3_600_000;
const OFFICE = 'office';
const ZONES: Readonly<Record<string, string>> = { berlin: 'Europe/Berlin', tokyo: 'Asia/Tokyo', utc: 'UTC' };

/** Monday 9:00 to 17:00, at each camera. */
const office: ScheduleItem = {
  ...{ uuid: OFFICE, name: 'Office hours', mutable: true },
  strategy: 'WEEKLY_REPEATING_MINUTES',
  intervalList: [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1_020 }],
};

function share(fields: Partial<ShareItem> = {}, cameras: readonly string[] = ['utc']): ShareItem {
  const { scheduleUuid = null, invertSchedule = false } = fields;
  return {
    ...{
      uuid: 'share',
      kind: 'camera',
      name: 'Any',
      targetUuid: 'utc',
      targetName: 'Any',
      pageUrl: '',
      m3u8Url: null,
    },
    ...{ createdAtMs: 0, expiresAtMs: null, hasPassword: false, hasPast: false },
    parts: cameras.map((cameraUuid) => ({ cameraUuid, scheduleUuid, invertSchedule })),
    ...fields,
    ...{ scheduleUuid, invertSchedule },
  };
}

function seen(item: ShareItem, nowMs = NOON_MS): SeenState {
  const world = {
    shares: [item],
    schedules: new Map([[OFFICE, office]]),
    zoneOf: (uuid: string) => ZONES[uuid]!,
  };
  return seenStates(world, nowMs).get(item.uuid)!;
}

test('without an end and a schedule, it is visible for good', () => {
  expect(seen(share())).toEqual({ kind: 'visible', untilMs: null, why: null });
});

test('it has ended from the very moment of its end', () => {
  const ends = share({ expiresAtMs: NOON_MS });
  expect(seen(ends, NOON_MS - 1)).toEqual({ kind: 'visible', untilMs: NOON_MS, why: 'end' });
  expect(seen(ends)).toEqual({ kind: 'expired', sinceMs: NOON_MS });
});

test('a schedule shows it, or hides it, at the time of its camera', () => {
  const endsAtMs = NOON_MS + 5 * HOUR_MS;
  expect(seen(share({ scheduleUuid: OFFICE }))).toEqual({
    kind: 'visible',
    untilMs: endsAtMs,
    why: 'schedule',
  });
  expect(seen(share({ scheduleUuid: OFFICE, invertSchedule: true }))).toEqual({
    ...{ kind: 'hidden', untilMs: endsAtMs },
  });
  // 21:00 there.
  expect(seen(share({ scheduleUuid: OFFICE }, ['tokyo'])).kind).toBe('hidden');
});

test('a change after its end is none', () => {
  const ends = { scheduleUuid: OFFICE, expiresAtMs: NOON_MS + HOUR_MS };
  expect(seen(share(ends))).toEqual({ kind: 'visible', untilMs: NOON_MS + HOUR_MS, why: 'end' });
  expect(seen(share({ ...ends, invertSchedule: true }))).toEqual({ kind: 'hidden', untilMs: null });
});

test('a schedule that is missing hides it, inverted or not', () => {
  for (const invertSchedule of [false, true]) {
    expect(seen(share({ scheduleUuid: 'gone', invertSchedule }))).toEqual({ kind: 'hidden', untilMs: null });
  }
});

test('a wall shows the cameras whose own time it is', () => {
  const wall = share({ kind: 'wall', scheduleUuid: OFFICE }, ['berlin', 'tokyo', 'utc']);
  // 17:00 in Berlin comes first.
  expect(seen(wall)).toEqual({ kind: 'partly', shown: 2, of: 3, untilMs: NOON_MS + 4 * HOUR_MS });
  expect(seen(wall, NOON_MS + 6 * HOUR_MS).kind).toBe('hidden');
  expect(seen(share({ kind: 'wall' }, [])).kind).toBe('visible');
});

test('ten thousand shares take one look at each schedule and zone', () => {
  let asked = 0;
  const shares = Array.from({ length: 10_000 }, (_, i) => ({
    ...share({ scheduleUuid: OFFICE }),
    uuid: `share ${i}`,
  }));
  const schedules = new Map([[OFFICE, office]]);
  const counted = Object.assign(new Map(schedules), {
    get: (uuid: string) => {
      asked += 1;
      return schedules.get(uuid);
    },
  });
  expect(seenStates({ shares, schedules: counted, zoneOf: () => 'UTC' }, NOON_MS).size).toBe(10_000);
  expect(asked).toBe(1);
});
