import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { DoorService } from '../platform/access-control/door-service.ts';
import { LandingService } from '../platform/access-control/landing-service.ts';
import { AlertPauses } from '../platform/policies/alert-pauses.ts';
import { ClimatePolicies } from '../platform/policies/climate-policies.ts';
import type { AccessRules } from '../sharing/access-rules.ts';
import { ScheduleService } from '../sharing/schedule-service.ts';
import type { Camera, WeeklySchedule } from '../store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleOrganization,
  sampleShare,
  sampleWeeklySchedule,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { type AlertPolicyPauseBody, pausesOf } from './alert-policy-pause.ts';
import { policyAlertReportRules } from './report-rules.ts';
import { UsedSchedules } from './schedule-uses.ts';

let clock: FakeClock;
let store: Store;
let orgUuid: Ruuid;
let camera: Camera;
let schedule: WeeklySchedule;
let doors: DoorService;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  doors = new DoorService({ store, clock });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const location = sampleLocation(orgUuid);
  await store.locations.save(location);
  camera = sampleCamera(orgUuid, { locationUuid: location.uuid, nvrUuid: null });
  await store.cameras.save(camera);
  schedule = sampleWeeklySchedule(orgUuid);
  await store.schedules.save(schedule);
});
afterEach(() => store.close());

describe('pauses of alerts', () => {
  const pauseOf = (fields: Partial<AlertPolicyPauseBody>): AlertPolicyPauseBody => ({
    componentCompositeUuids: [],
    deviceUuids: [],
    locationUuids: [],
    fromMs: clock.epochMs(),
    toMs: clock.epochMs() + 60_000,
    ...fields,
  });
  const pauses = () =>
    new AlertPauses({ store, doors, landings: new LandingService({ store, clock }), clock });

  it('cover a door with its readers, until they end', async () => {
    const readerUuid = newRuuid();
    const doorUuid = newRuuid();
    const reader = { componentUuid: readerUuid };
    await doors.report(orgUuid, [
      { uuid: doorUuid, ownerDeviceUuid: newRuuid(), readerComponents: [reader] },
    ]);
    await pauses().pause(orgUuid, pauseOf({ componentCompositeUuids: [doorUuid] }));
    const isPaused = await pausesOf(store, orgUuid);
    const alert = { componentUuid: readerUuid, deviceUuid: newRuuid(), locationUuid: null };
    expect(isPaused({ ...alert, timestampMs: clock.epochMs() })).toBe(true);
    expect(isPaused({ ...alert, timestampMs: clock.epochMs() + 60_000 })).toBe(false);
    expect(isPaused({ ...alert, componentUuid: null, timestampMs: clock.epochMs() })).toBe(false);
  });

  it('name something that exists, and end in the future', async () => {
    const pause = (fields: Partial<AlertPolicyPauseBody>) => pauses().pause(orgUuid, pauseOf(fields));
    await expect(pause({})).rejects.toMatchObject({ code: 'ALERT_PAUSE_OF_NOTHING' });
    await expect(pause({ deviceUuids: [camera.uuid], toMs: clock.epochMs() })).rejects.toMatchObject({
      code: 'ALERT_PAUSE_OVER',
    });
    await expect(pause({ componentCompositeUuids: [newRuuid()] })).rejects.toMatchObject({
      code: 'ALERT_PAUSE_SUBJECT_NOT_FOUND',
      context: { list: 'componentCompositeUuids', index: 0 },
    });
  });

  it('begin immediately unless they have a start', async () => {
    const subjects = { componentCompositeUuids: [], deviceUuids: [camera.uuid], locationUuids: [] };
    const pause = async (startSec?: number) =>
      (await pauses().pauseFor(orgUuid, subjects, { startSec, durationSec: 60 })).body;
    const nowMs = clock.epochMs();
    expect(await pause()).toMatchObject({ fromMs: nowMs, toMs: nowMs + 60_000 });
    const startSec = Math.floor(nowMs / 1_000) + 3_600;
    expect(await pause(startSec)).toMatchObject({ fromMs: startSec * 1_000, toMs: (startSec + 60) * 1_000 });
  });
});

describe('reported alerts', () => {
  it('are refused while a pause covers them, and known by their UUIDs', async () => {
    const context = { store, orgUuid, nowMs: clock.epochMs() };
    const row = (timestampMs: number) => ({ uuid: newRuuid(), deviceUuid: camera.uuid, timestampMs });
    const pause = { componentCompositeUuids: [], deviceUuids: [], locationUuids: [camera.locationUuid!] };
    const landings = new LandingService({ store, clock });
    const pauses = new AlertPauses({ store, doors, landings, clock });
    await pauses.pauseFor(orgUuid, pause, { durationSec: 60 });
    const rows = [row(0), row(clock.epochMs()), { ...row(0), locationUuid: newRuuid() }];
    const problems = await policyAlertReportRules.problemsOf?.(context, rows);
    expect(problems?.map((problem) => problem?.field ?? null)).toEqual([null, 'deviceUuid', 'locationUuid']);
    expect(await policyAlertReportRules.store(context, rows.slice(0, 1))).toBe(1);
    expect(await policyAlertReportRules.known?.(context, rows.slice(0, 2))).toMatchObject([rows[0]!, null]);
  });
});

describe('climate policies', () => {
  it('keep what a change does not set, and protect their schedules', async () => {
    const policies = new ClimatePolicies({ store, clock });
    const uuid = newRuuid();
    const scheduledTriggers = [{ scheduleUuid: schedule.uuid, triggerSet: [{ threshold: 30 }] }];
    await policies.update(orgUuid, { uuid, description: 'Server room', scheduledTriggers });
    await policies.update(orgUuid, { uuid, name: 'Heat' });
    expect(await policies.list(orgUuid)).toMatchObject([
      { name: 'Heat', body: { policyUuid: uuid, description: 'Server room', scheduledTriggers } },
    ]);
    const stranger = [{ scheduleUuid: schedule.uuid }, { scheduleUuid: newRuuid() }];
    await expect(policies.update(orgUuid, { uuid, scheduledTriggers: stranger })).rejects.toMatchObject({
      code: 'CLIMATE_SCHEDULE_NOT_FOUND',
      context: { index: 1 },
    });
  });

  it('are found by a schedule, with the triggers that always apply kept separate', async () => {
    const policies = new ClimatePolicies({ store, clock });
    const hot = { threshold: 30 };
    const cold = { threshold: 5 };
    const scheduledTriggers = [
      { scheduleUuid: schedule.uuid, triggerSet: [hot] },
      { triggerSet: [cold] },
      { scheduleUuid: schedule.uuid },
    ];
    await policies.update(orgUuid, { uuid: newRuuid(), name: 'Heat', scheduledTriggers });
    await policies.update(orgUuid, { uuid: newRuuid(), scheduledTriggers: [{ triggerSet: [cold] }] });
    expect(await (await policies.listUsing(orgUuid, schedule.uuid)).toArray()).toMatchObject([
      {
        policy: { name: 'Heat' },
        always: [cold],
        scheduled: [
          { schedule: { uuid: schedule.uuid }, triggers: [hot] },
          { schedule: { uuid: schedule.uuid }, triggers: [] },
        ],
      },
    ]);
    await expect(policies.listUsing(orgUuid, newRuuid())).rejects.toMatchObject({
      code: 'SCHEDULE_NOT_FOUND',
    });
  });
});

describe('schedules in use', () => {
  it('are listed with their uses, and stay until nothing uses them', async () => {
    const rules = { applied: async () => undefined };
    const schedules = new ScheduleService({ store, clock, rules: rules as unknown as AccessRules });
    const used = new UsedSchedules({ store, schedules });
    const uuid = newRuuid();
    const scheduledTriggers = [{ scheduleUuid: schedule.uuid }];
    const policies = new ClimatePolicies({ store, clock });
    await policies.update(orgUuid, { uuid, scheduledTriggers });
    const share = sampleShare(orgUuid, { cameraUuid: camera.uuid, scheduleUuid: schedule.uuid });
    await store.shares.save(share);
    expect(await used.findWeekly(orgUuid, schedule.uuid)).toMatchObject({
      schedule: { uuid: schedule.uuid },
      locationUuids: [camera.locationUuid],
      uses: { shares: [{ uuid: share.uuid }], policies: [{ body: { policyUuid: uuid } }], doors: [] },
    });
    const remove = () => used.remove(orgUuid, schedule.uuid);
    await expect(remove()).rejects.toMatchObject({
      code: 'SCHEDULE_IN_USE',
      context: { sentence: expect.stringContaining('climate policy') },
    });
    await policies.update(orgUuid, { uuid, scheduledTriggers: [] });
    await expect(remove()).rejects.toMatchObject({ code: 'SCHEDULE_IN_USE' });
    await store.shares.remove(orgUuid, share.uuid);
    await remove();
    await expect(used.findWeekly(orgUuid, schedule.uuid)).rejects.toMatchObject({
      code: 'SCHEDULE_NOT_FOUND',
    });
  });
});
