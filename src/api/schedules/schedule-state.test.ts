import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const HOUR_MS = 3_600_000;
/** Monday 2026-11-30T00:00Z. */
const MONDAY_MS = Date.UTC(2026, 10, 30);
let fixture: ApiFixture;
let weekly: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  weekly = await create('createWeeklySchedule', {
    name: 'Mornings',
    intervalList: [{ minuteOfWeekStart: 480, minuteOfWeekStop: 720 }],
  });
});
afterEach(() => fixture.close());

const create = async (operation: string, schedule: object) =>
  (await fixture.call(`/api/schedule/${operation}`, { schedule })).scheduleUuid as Ruuid;
const state = (body: object) =>
  fixture.call('/api/schedule/getScheduleState', { scheduleUuid: weekly, ...body });
const uses = (scheduleUuid: Ruuid, headers = {}) =>
  fixture.call('/api/schedule/getScheduleUses', { scheduleUuid }, headers);

describe('getScheduleState', () => {
  it.each([
    ['UTC', 8 * HOUR_MS, true, 8 * HOUR_MS, 12 * HOUR_MS],
    ['UTC', 8 * HOUR_MS - 1, false, 12 * HOUR_MS - 7 * 24 * HOUR_MS, 8 * HOUR_MS],
    ['America/New_York', 14 * HOUR_MS, true, 13 * HOUR_MS, 17 * HOUR_MS],
  ])('says whether a weekly schedule is active in %s at %i', async (tz, atMs, isActive, since, next) => {
    expect(await state({ tz, atMs: MONDAY_MS + atMs })).toEqual({
      error: false,
      isActive,
      tz,
      atMs: MONDAY_MS + atMs,
      sinceMs: MONDAY_MS + since,
      nextChangeMs: MONDAY_MS + next,
    });
  });

  it('looks back over a year, and not further', async () => {
    const nowSec = Math.floor(fixture.clock.epochMs() / 1_000);
    const daySec = 86_400;
    const ended = async (days: number) => {
      const endSec = nowSec - days * daySec;
      const scheduleUuid = await create('createAbsoluteSchedule', {
        name: 'Party',
        intervalList: [{ b: endSec - 3_600, e: endSec }],
      });
      const { isActive, sinceMs, nextChangeMs } = await state({ scheduleUuid });
      return { isActive, sinceMs, nextChangeMs, endMs: endSec * 1_000 };
    };
    const recent = await ended(300);
    expect(recent).toMatchObject({ isActive: false, sinceMs: recent.endMs });
    expect(recent.nextChangeMs).toBeUndefined();
    expect((await ended(401)).sinceMs).toBeUndefined();
  });

  it('asks about now and UTC by default', async () => {
    expect(await state({})).toMatchObject({ tz: 'UTC', atMs: fixture.clock.epochMs() });
  });

  it('refuses zones and schedules that do not exist', async () => {
    expect(await state({ tz: 'Mars/Base' })).toEqual({
      error: true,
      errorMsg: 'tz must be an IANA time zone such as America/New_York.',
    });
    expect(await state({ scheduleUuid: newRuuid() })).toMatchObject({ error: true });
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(
      await fixture.call('/api/schedule/getScheduleState', { scheduleUuid: weekly }, headers),
    ).toMatchObject({ error: true });
  });
});

describe('getScheduleUses', () => {
  it('lists shares, walls and configurations that use a schedule', async () => {
    expect(await uses(weekly)).toEqual({ error: false, uses: [] });
    const { camera, doorbell } = fixture.own;
    const share = await fixture.call('/api/camera/createSharedLiveVideoStream', {
      cameraUuid: camera.uuid,
      name: 'Front desk',
      scheduleUuid: weekly,
      invertSchedule: true,
    });
    const wall = await fixture.call('/api/camera/createVideoWall', {
      videoWall: { displayName: 'Control room', deviceList: [doorbell.uuid] },
    });
    const wallShare = await fixture.call('/api/camera/createSharedVideoWall', {
      videoWallUuid: wall.uuid,
      deviceScheduleMap: { [doorbell.uuid]: { scheduleUuid: weekly } },
    });
    expect((await uses(weekly)).uses).toEqual([
      {
        kind: 'SHARED_STREAM',
        uuid: share.sharedLiveVideoStreamUuid,
        name: 'Front desk',
        invertSchedule: true,
      },
      {
        kind: 'SHARED_VIDEO_WALL',
        uuid: wallShare.sharedLiveVideoStreamUuid,
        name: 'Control room',
        invertSchedule: false,
      },
    ]);
  });

  it('knows only the schedules of the organization', async () => {
    expect(await uses(weekly, { 'x-auth-apikey': fixture.foreign.apiKey })).toMatchObject({ error: true });
  });
});
