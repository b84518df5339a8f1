import { describe, expect, it, onTestFinished } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
  sampleShare,
  sampleVideoWall,
  sampleWallShare,
  sampleWeeklySchedule,
} from '../store/sample-entities-fixture.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { MAX_MANUAL_MS, NO_RULE, type RecordingRule } from './recording-rule.ts';
import { RecordingRules } from './recording-rules.ts';
import { parseWeeklyTimes } from './weekly-times.ts';

const BASE_MS = Date.UTC(2026, 0, 1);

async function setup() {
  const clock = new FakeClock(BASE_MS);
  const store = await openTestStore(clock);
  onTestFinished(() => store.close());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  const location = sampleLocation(organization.uuid);
  await store.locations.save(location);
  const nvr = sampleNvr(organization.uuid, { locationUuid: location.uuid });
  await store.nvrs.save(nvr);
  const camera = sampleCamera(organization.uuid, { locationUuid: null, nvrUuid: nvr.uuid });
  await store.cameras.save(camera);
  let changes = 0;
  const rules = await RecordingRules.open({ store, clock, log: silentLog, onChange: () => void changes++ });
  onTestFinished(() => rules.close());
  const at = (epochMs = clock.epochMs()) => rules.demandAt(camera.uuid, epochMs);
  const put = (rule: Partial<RecordingRule>) => rules.put(new Map([[camera.uuid, { ...NO_RULE, ...rule }]]));
  const changed = (count: number) => eventually('the rules change', () => changes >= count);
  return { store, organization, camera, rules, at, put, changed };
}

describe('RecordingRules', () => {
  it('records a camera while a share with VOD exists, and no longer', async () => {
    const { store, organization, camera, rules, at, changed } = await setup();
    expect([...rules.cameras()]).toEqual([]);
    const share = sampleShare(organization.uuid, {
      cameraUuid: camera.uuid,
      expiresAtSec: BASE_MS / 1_000 + 60,
    });
    const other = sampleShare(organization.uuid, { cameraUuid: newRuuid(), vodEnabled: false });
    await store.shares.save(other);
    await store.shares.save({ ...share, vodEnabled: true });
    await changed(1);
    expect([...rules.cameras()]).toEqual([camera.uuid]);
    expect(at()).toMatchObject({
      mode: 'write',
      purpose: 'shares',
      reasons: ['shares'],
      changesAtEpochMs: BASE_MS + 60_000,
    });
    expect(at(BASE_MS + 59_999)).toMatchObject({ mode: 'write' });
    expect(at(BASE_MS + 60_000)).toMatchObject({ mode: 'off', reasons: [], changesAtEpochMs: null });
    await store.shares.remove(organization.uuid, share.uuid);
    await changed(2);
    expect([...rules.cameras()]).toEqual([]);
    expect(at()).toMatchObject({ mode: 'off' });
  });

  it('records for a share no longer than its viewers see the past', async () => {
    const { store, organization, camera, at, changed } = await setup();
    const endSec = BASE_MS / 1_000 + 60;
    const share = sampleShare(organization.uuid, { cameraUuid: camera.uuid, vodEnabled: true });
    for (const [expiresAtSec, vodExpiresAtSec] of [
      [null, endSec],
      [endSec + 60, endSec],
      [endSec, endSec + 60],
      [endSec, null],
    ] as const) {
      await store.shares.save({ ...share, expiresAtSec, vodExpiresAtSec });
      await eventuallyEqual(() => at().changesAtEpochMs, BASE_MS + 60_000);
      expect(at(BASE_MS + 60_000)).toMatchObject({ mode: 'off' });
    }
    await changed(1);
  });

  it('records the cameras of a video wall that is shared with VOD, each as long as it is on the wall', async () => {
    const { store, organization, camera, rules, at, changed } = await setup();
    const cameras = [{ cameraUuid: camera.uuid, facet: '', addedAtMs: BASE_MS }];
    const wall = sampleVideoWall(organization.uuid, { cameras });
    await store.videoWalls.save(wall);
    const share = sampleWallShare(organization.uuid, wall.uuid, {
      vodEnabled: true,
      expiresAtSec: BASE_MS / 1_000 + 60,
      scheduleUuid: null,
      deviceSchedules: {},
    });
    await store.wallShares.save({ ...share, vodEnabled: false });
    await changed(1);
    expect([...rules.cameras()]).toEqual([]);
    await store.wallShares.save(share);
    await changed(2);
    await eventuallyEqual(() => [...rules.cameras()], [camera.uuid]);
    expect(at()).toMatchObject({ mode: 'write', purpose: 'shares', changesAtEpochMs: BASE_MS + 60_000 });
    await store.videoWalls.save({ ...wall, cameras: [] });
    await eventuallyEqual(() => at().mode, 'off');
    await store.videoWalls.save(wall);
    await eventuallyEqual(() => at().mode, 'write');
    await store.videoWalls.remove(organization.uuid, wall.uuid);
    await eventuallyEqual(() => [...rules.cameras()], []);
  });

  it('records for a share only what its viewers may see', async () => {
    const { store, organization, camera, at, changed } = await setup();
    // New York is five hours behind: Thursday 03:00 to 04:00 is 08:00 to 09:00 UTC.
    const intervals = parseWeeklyTimes('Thu 03:00-04:00')!;
    const schedule = sampleWeeklySchedule(organization.uuid, { intervals });
    await store.schedules.save(schedule);
    const share = sampleShare(organization.uuid, {
      cameraUuid: camera.uuid,
      vodEnabled: true,
      expiresAtSec: null,
      scheduleUuid: schedule.uuid,
    });
    await store.shares.save(share);
    await changed(2);
    const hour = (hours: number) => at(BASE_MS + hours * 3_600_000);
    expect(hour(7)).toMatchObject({
      mode: 'off',
      isWaiting: true,
      changesAtEpochMs: BASE_MS + 8 * 3_600_000,
    });
    expect(hour(8)).toMatchObject({ mode: 'write', purpose: 'shares' });
    expect(hour(9)).toMatchObject({ mode: 'off', isWaiting: true });
    await store.shares.save({ ...share, invertSchedule: true });
    await changed(3);
    expect([hour(7).mode, hour(8).mode]).toEqual(['write', 'off']);
    await store.schedules.remove(organization.uuid, schedule.uuid);
    await changed(4);
    expect([hour(7).mode, hour(8).mode]).toEqual(['off', 'off']);
  });

  it('follows the file’s own times of the week over a change to daylight saving time', async () => {
    const { at, put } = await setup();
    const weekly = { kind: 'weekly', intervals: parseWeeklyTimes('Sun 01:00-04:00')! } as const;
    put({ choice: 'schedule', schedule: weekly });
    // 2026-03-08 in New York: 02:00 to 03:00 does not exist.
    const from = Date.UTC(2026, 2, 8, 6);
    expect(at(from - 1)).toMatchObject({ mode: 'off', isWaiting: true, changesAtEpochMs: from });
    expect(at(from)).toMatchObject({
      mode: 'write',
      purpose: 'camera',
      changesAtEpochMs: from + 2 * 3_600_000,
    });
    expect(at(from + 2 * 3_600_000)).toMatchObject({ mode: 'off' });
    // 2026-11-01: 01:00 to 02:00 occurs twice.
    const autumn = Date.UTC(2026, 10, 1, 5);
    expect(at(autumn)).toMatchObject({ mode: 'write', changesAtEpochMs: autumn + 4 * 3_600_000 });
  });

  it('follows a schedule of the store, and says when it is missing', async () => {
    const { store, organization, at, put, changed } = await setup();
    const schedule = sampleWeeklySchedule(organization.uuid, {
      intervals: parseWeeklyTimes('daily 00:00-00:00')!,
    });
    put({ choice: 'schedule', schedule: { kind: 'stored', uuid: schedule.uuid } });
    expect(at()).toMatchObject({ mode: 'off', isScheduleMissing: true, reasons: ['schedule'] });
    await store.schedules.save(schedule);
    await changed(1);
    expect(at()).toMatchObject({ mode: 'write', isScheduleMissing: false });
    const foreign = sampleOrganization();
    await store.organizations.save(foreign);
    const theirs = sampleWeeklySchedule(foreign.uuid, { intervals: schedule.intervals });
    await store.schedules.save(theirs);
    await changed(2);
    put({ choice: 'schedule', schedule: { kind: 'stored', uuid: theirs.uuid } });
    expect(at()).toMatchObject({ mode: 'off', isScheduleMissing: true });
  });

  it('puts the camera’s own rule before its shares, and the file’s off before everything', async () => {
    const { store, organization, camera, at, put, changed } = await setup();
    const share = sampleShare(organization.uuid, {
      cameraUuid: camera.uuid,
      vodEnabled: true,
      expiresAtSec: null,
    });
    await store.shares.save(share);
    await changed(1);
    put({ choice: 'always' });
    expect(at()).toMatchObject({ mode: 'write', purpose: 'camera', reasons: ['always', 'shares'] });
    put({ choice: 'events' });
    expect(at()).toMatchObject({ mode: 'write', purpose: 'shares', reasons: ['events', 'shares'] });
    put({ choice: 'off' });
    expect(at()).toMatchObject({ mode: 'write', purpose: 'shares', reasons: ['shares'] });
    put({ choice: 'off', isForbidden: true });
    expect(at()).toMatchObject({ mode: 'off', reasons: [] });
    await store.shares.remove(organization.uuid, share.uuid);
    await changed(2);
    put({ choice: 'events' });
    expect(at()).toMatchObject({ mode: 'hold', reasons: ['events'] });
  });

  it('records what a person started until its end, as the camera’s own, unless the file says off', async () => {
    const { at, put } = await setup();
    const manualUntilMs = BASE_MS + 600_000;
    put({ manualUntilMs });
    const running = {
      mode: 'write',
      purpose: 'camera',
      reasons: ['manual'],
      changesAtEpochMs: manualUntilMs,
    };
    expect(at()).toMatchObject(running);
    expect(at(manualUntilMs - 1)).toMatchObject(running);
    expect(at(manualUntilMs)).toMatchObject({ mode: 'off', reasons: [], changesAtEpochMs: null });
    put({ choice: 'events', manualUntilMs });
    expect(at()).toMatchObject({ mode: 'write', purpose: 'camera', reasons: ['events', 'manual'] });
    expect(at(manualUntilMs)).toMatchObject({ mode: 'hold', reasons: ['events'] });
    put({ choice: 'always', manualUntilMs });
    expect(at(manualUntilMs)).toMatchObject({ mode: 'write', reasons: ['always'] });
    put({ choice: 'off', isForbidden: true, manualUntilMs });
    expect(at()).toMatchObject({ mode: 'off', reasons: [] });
  });

  it('does not record for a year what a person started before the clock was set back by a year', async () => {
    const { at, put } = await setup();
    put({ manualUntilMs: BASE_MS + 600_000 });
    expect(at(BASE_MS - 365 * 86_400_000)).toMatchObject({ mode: 'off', reasons: [] });
    put({ manualUntilMs: BASE_MS + MAX_MANUAL_MS });
    expect(at()).toMatchObject({ mode: 'write' });
    expect(at(BASE_MS - 1)).toMatchObject({ mode: 'off' });
  });
});
