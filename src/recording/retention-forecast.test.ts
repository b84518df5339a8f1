import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { type ForecastStream, forecastOfCamera, forecastRetention } from './retention-forecast.ts';

const DAY_MS = 86_400_000;
const GB = 1e9;
const NOW_MS = Date.UTC(2026, 5, 1);

/** A camera that has recorded 40 GB a day for ten days, and is to keep 30. */
function camera(orgUuid: Ruuid | null, changes: Partial<ForecastStream> = {}): ForecastStream {
  return {
    cameraUuid: newRuuid(),
    rendition: 'main',
    orgUuid,
    byteLength: 400 * GB,
    heldBytes: 0,
    startMs: NOW_MS - 10 * DAY_MS,
    recentBytes: 40 * GB,
    keepMs: 30 * DAY_MS,
    maxBytes: null,
    ...changes,
  };
}

const days = (ms: number) => Math.round((ms / DAY_MS) * 1_000) / 1_000;

function forecastIn(
  streams: readonly ForecastStream[],
  freeBytes: number | null,
  minFreeBytes: number,
  maxOrganizationBytes: number | null,
) {
  const disk = freeBytes === null ? null : { freeBytes, minFreeBytes };
  return forecastRetention(streams, { disk, maxOrganizationBytes }, NOW_MS);
}

function daysOf(
  streams: readonly ForecastStream[],
  freeBytes: number | null,
  minFreeBytes = 0,
  maxOrganizationBytes: number | null = null,
) {
  const forecast = forecastIn(streams, freeBytes, minFreeBytes, maxOrganizationBytes);
  return streams.map(({ cameraUuid }) => {
    const own = forecastOfCamera(forecast, cameraUuid);
    return own === null ? null : [days(own.keptMs), own.decidedBy];
  });
}

function total(
  streams: readonly ForecastStream[],
  freeBytes: number | null,
  minFreeBytes = 0,
  maxOrganizationBytes: number | null = null,
) {
  const found = forecastIn(streams, freeBytes, minFreeBytes, maxOrganizationBytes).total;
  if (found === null) return null;
  const { keptMs, longestKeptMs, diskFullInMs, ...rest } = found;
  return {
    ...rest,
    kept: days(keptMs),
    longest: days(longestKeptMs),
    diskFullIn: diskFullInMs === null ? null : days(diskFullInMs),
  };
}

describe('how long recordings stay', () => {
  const [one, other] = [newRuuid(), newRuuid()];

  it('is the configured time if there is room for it, on a disk or elsewhere', () => {
    expect(daysOf([camera(one)], 800 * GB)).toEqual([[30, 'age']]);
    expect(daysOf([camera(one)], null)).toEqual([[30, 'age']]);
    expect(total([camera(one)], 800 * GB)).toEqual({
      bytesPerDay: 40 * GB,
      kept: 30,
      longest: 30,
      decidedBy: 'age',
      diskFullIn: null,
    });
  });

  it('is what the size of a camera allows', () => {
    expect(daysOf([camera(one, { maxBytes: 100 * GB })], null)).toEqual([[2.5, 'cameraSize']]);
  });

  it('leaves the main stream what the substream does not take of the size of their camera', () => {
    const main = camera(one, { maxBytes: 100 * GB });
    const sub = { ...main, rendition: 'sub', recentBytes: 2 * GB, byteLength: 20 * GB } as const;
    const { streams } = forecastIn([main, sub], null, 0, null);
    expect(streams.map(({ keptMs, decidedBy }) => [days(keptMs), decidedBy])).toEqual([
      [1, 'cameraSize'],
      [30, 'age'],
    ]);
  });

  it('is what the disk allows without the room that stays free, and the disk fills before', () => {
    // 400 GB are there, and 56 GB more find room.
    expect(daysOf([camera(one)], 60 * GB, 4 * GB)).toEqual([[11.4, 'disk']]);
    expect(total([camera(one)], 60 * GB, 4 * GB)).toMatchObject({ kept: 11.4, diskFullIn: 1.4 });
    expect(total([camera(one)], 4 * GB, 4 * GB)).toMatchObject({ kept: 10, diskFullIn: 0 });
  });

  it('does not count what is deleted by age while the disk fills', () => {
    // Ten days at double the rate: each day, 80 GB go and 40 GB come.
    const before = camera(one, { byteLength: 800 * GB, keepMs: 10 * DAY_MS });
    expect(total([before], 10 * GB)).toMatchObject({ kept: 10, decidedBy: 'age', diskFullIn: null });
  });

  it('is the same for all cameras of an organization that the disk limits, unless they keep less', () => {
    const cameras = [camera(one), camera(one, { recentBytes: 10 * GB }), camera(one, { keepMs: 2 * DAY_MS })];
    // (1200 + 130) GB: 80 GB for two days of the third, and 50 GB a day of the others.
    expect(daysOf(cameras, 130 * GB)).toEqual([
      [25, 'disk'],
      [25, 'disk'],
      [2, 'age'],
    ]);
    expect(total(cameras, 130 * GB)).toMatchObject({ kept: 2, longest: 25, decidedBy: 'age' });
  });

  it('does not shrink for an organization that uses less than its part', () => {
    const large = [camera(one), camera(one), camera(one)];
    const small = camera(other, { byteLength: 10 * GB, recentBytes: 1 * GB });
    const roomBytes = 1_210 * GB;
    expect(roomBytes).toBe([...large, small].reduce((sum, { byteLength }) => sum + byteLength, 0));
    expect(daysOf([...large, small], 20 * GB)).toEqual([
      [10, 'disk'],
      [10, 'disk'],
      [10, 'disk'],
      [30, 'age'],
    ]);
  });

  it('counts held recordings as room that their organization does not get back', () => {
    const held = camera(one, { heldBytes: 200 * GB });
    expect(daysOf([held], 0)).toEqual([[5, 'disk']]);
    expect(daysOf([camera(one, { heldBytes: 400 * GB })], 0)).toEqual([[0, 'disk']]);
  });

  it('is what the size of an organization allows, without what is held', () => {
    const cameras = [
      camera(one),
      camera(one, { heldBytes: 100 * GB }),
      camera(other, { recentBytes: 4 * GB }),
    ];
    expect(daysOf(cameras, null, 0, 400 * GB)).toEqual([
      [5, 'organizationSize'],
      [5, 'organizationSize'],
      [30, 'age'],
    ]);
    // 500 GB of one, and 120 GB of the other in the end.
    expect(total(cameras, 1 * GB, 0, 400 * GB)).toMatchObject({ diskFullIn: null });
    expect(daysOf([camera(null)], null, 0, 400 * GB)).toEqual([[30, 'age']]);
  });

  it('is known from ten minutes of recording on, and not of cameras that recorded nothing today', () => {
    const young = camera(one, { startMs: NOW_MS - 540_000, byteLength: 1 * GB, recentBytes: 1 * GB });
    expect(daysOf([young], null)).toEqual([null]);
    const hour = { startMs: NOW_MS - DAY_MS / 24, byteLength: 2 * GB, recentBytes: 2 * GB };
    expect(total([camera(one, hour)], null)).toMatchObject({ bytesPerDay: 48 * GB });
    expect(daysOf([camera(one, { recentBytes: 0 })], 0)).toEqual([null]);
    expect(total([camera(one, { recentBytes: 0 })], 0)).toBeNull();
    expect(total([], 0)).toBeNull();
  });
});
