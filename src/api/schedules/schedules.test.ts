import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE_WEEKLY = '/api/schedule/createWeeklySchedule';
const CREATE_ABSOLUTE = '/api/schedule/createAbsoluteSchedule';
const FIND_WEEKLY = '/api/schedule/findWeeklySchedule';
const FIND_ABSOLUTE = '/api/schedule/findAbsoluteSchedule';
const UPDATE_WEEKLY = '/api/policy/updateSchedule';
const UPDATE_ABSOLUTE = '/api/schedule/updateAbsoluteSchedule';
const LIST = '/api/schedule/getSchedules';
const DATA = '/api/schedule/getScheduleDataV2';
const DELETE = '/api/schedule/deleteSchedule';
const SUCCESS = { error: false };

const MORNINGS = { name: 'Mornings', intervalList: [{ minuteOfWeekStart: 480, minuteOfWeekStop: 720 }] };
const PARTY = { name: 'Party', intervalList: [{ b: 1_800_000_000, e: 1_800_003_600 }] };

let fixture: ApiFixture;
let weekly: Ruuid;
let absolute: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  weekly = (await fixture.call(CREATE_WEEKLY, { schedule: MORNINGS })).scheduleUuid as Ruuid;
  absolute = (await fixture.call(CREATE_ABSOLUTE, { schedule: PARTY })).scheduleUuid as Ruuid;
});
afterEach(() => fixture.close());

const stored = (uuid: Ruuid) => fixture.store.schedules.find(fixture.own.organization.uuid, uuid);
const share = async (scheduleUuid: Ruuid, name: string) => {
  const body = {
    cameraUuid: fixture.own.camera.uuid,
    streamType: 'USER',
    vodEnabled: false,
    name,
    scheduleUuid,
  };
  return (await fixture.call('/api/camera/createSharedLiveVideoStream', body))
    .sharedLiveVideoStreamUuid as Ruuid;
};

describe('schedules', () => {
  it('are stored as sent', async () => {
    expect(await stored(weekly)).toMatchObject({
      strategy: 'WEEKLY_REPEATING_MINUTES',
      name: 'Mornings',
      intervals: MORNINGS.intervalList,
      oneTimeUse: false,
    });
    expect(await stored(absolute)).toMatchObject({
      strategy: 'ABSOLUTE_SECONDS',
      intervals: [{ startSec: 1_800_000_000, stopSec: 1_800_003_600 }],
    });
  });

  it('are returned with every field', async () => {
    const common = { orgUuid: fixture.own.organization.uuid, mutable: true, oneTimeUse: false };
    const weeklyResponse = { ...MORNINGS, ...common, uuid: weekly, strategy: 'WEEKLY_REPEATING_MINUTES' };
    const absoluteResponse = { ...PARTY, ...common, uuid: absolute, strategy: 'ABSOLUTE_SECONDS' };
    expect(await fixture.call(FIND_WEEKLY, { uuid: weekly })).toEqual({
      ...SUCCESS,
      schedule: weeklyResponse,
    });
    expect(await fixture.call(FIND_ABSOLUTE, { uuid: absolute })).toEqual({
      ...SUCCESS,
      schedule: absoluteResponse,
    });
    expect(await fixture.call(LIST)).toEqual({
      ...SUCCESS,
      weeklySchedules: [weeklyResponse],
      absoluteSchedules: [absoluteResponse],
      relativeSchedules: [],
      relativeDatetimeSchedules: [],
    });
  });

  it('are not found as the other kind, or if unknown', async () => {
    for (const [path, uuid] of [
      [FIND_WEEKLY, absolute],
      [FIND_ABSOLUTE, weekly],
      [FIND_WEEKLY, newRuuid()],
      [FIND_ABSOLUTE, newRuuid()],
    ] as const) {
      expect(await fixture.call(path, { uuid })).toMatchObject({ error: true, errorMsg: expect.any(String) });
    }
    expect(await fixture.call(DATA, { scheduleUuid: absolute })).toMatchObject({ error: true });
  });

  it('change only in the given fields', async () => {
    const intervalList = [{ minuteOfWeekStart: 10_000, minuteOfWeekStop: 60 }];
    expect(await fixture.call(UPDATE_WEEKLY, { schedule: { uuid: weekly, intervalList } })).toEqual(SUCCESS);
    expect(await stored(weekly)).toMatchObject({ name: 'Mornings', intervals: intervalList });
    expect(await fixture.call(UPDATE_ABSOLUTE, { schedule: { uuid: absolute, name: 'Feast' } })).toEqual(
      SUCCESS,
    );
    expect(await stored(absolute)).toMatchObject({ name: 'Feast', intervals: [{ startSec: 1_800_000_000 }] });
  });

  it('are not changed as the other kind', async () => {
    expect(await fixture.call(UPDATE_WEEKLY, { schedule: { uuid: absolute, name: 'X' } })).toMatchObject({
      error: true,
    });
    expect(await fixture.call(UPDATE_ABSOLUTE, { schedule: { uuid: weekly, name: 'X' } })).toMatchObject({
      error: true,
    });
    expect(await stored(weekly)).toMatchObject({ name: 'Mornings' });
    expect(await stored(absolute)).toMatchObject({ name: 'Party' });
  });

  it.each([
    [CREATE_WEEKLY, {}, 'schedule is required.'],
    [CREATE_WEEKLY, { schedule: { name: 'X' } }, 'schedule.intervalList is required.'],
    [
      CREATE_WEEKLY,
      { schedule: { ...MORNINGS, intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 10_081 }] } },
      'schedule.intervalList[0].minuteOfWeekStop must be an integer from 0 to 10080, got 10081.',
    ],
    [
      CREATE_WEEKLY,
      { schedule: { ...MORNINGS, strategy: 'ABSOLUTE_SECONDS' } },
      'schedule.strategy must be one of WEEKLY_REPEATING_MINUTES; got "ABSOLUTE_SECONDS".',
    ],
    [
      CREATE_ABSOLUTE,
      { schedule: { ...PARTY, intervalList: [{ b: 1 }] } },
      'schedule.intervalList[0].e is required.',
    ],
    [UPDATE_ABSOLUTE, { schedule: { name: 'X' } }, 'schedule.uuid is required.'],
  ])('%s refuses %j', async (path, body, sentence) => {
    expect((await fixture.call(path, body)).errorMsg).toBe(sentence);
  });
});

describe(DATA, () => {
  it('lists where the schedule is used', async () => {
    const used = await share(weekly, 'Gate');
    const { weeklyScheduleData } = await fixture.call(DATA, { scheduleUuid: weekly });
    expect(weeklyScheduleData).toMatchObject({
      uuid: weekly,
      sharedStreamUuids: [used],
      locationsUsedIn: [fixture.own.locationUuid],
      alertPolicyUuids: [],
      doorSettingUuids: [],
    });
  });
});

describe('what uses a schedule', () => {
  it('is listed, and keeps it from being deleted, one after the other', async () => {
    const { locationUuid } = fixture.own;
    const [door, landing, policy, revocation] = [newRuuid(), newRuuid(), newRuuid(), newRuuid()];
    const ownerDeviceUuid = newRuuid();
    await fixture.call('/api/ingest/doors', {
      rows: [{ uuid: door, ownerDeviceUuid, locationUuid, name: 'Gate' }],
    });
    await fixture.call('/api/component/updateAccessControlledDoor', {
      accessControlledDoorUuid: door,
      doorStateToScheduleUuidMap: { UNLOCKED: weekly },
    });
    const landingRow = { uuid: landing, ownerDeviceUuid, locationUuid, name: 'Floor 1' };
    const ofLanding = (map: object) =>
      fixture.call('/api/ingest/elevatorLandings', {
        rows: [{ ...landingRow, accessStateToScheduleUuidMap: map }],
      });
    await ofLanding({ UNLOCKED: weekly });
    const revocationRow = { uuid: revocation, name: 'Night', locationUuid };
    await fixture.call('/api/ingest/accessRevocations', {
      rows: [{ ...revocationRow, scheduleUuid: weekly }],
    });
    const ofPolicy = (scheduledTriggers: object[]) =>
      fixture.call('/api/policy/updateClimatePolicy', {
        policy: { uuid: policy, name: 'Cold room', scheduledTriggers },
      });
    await ofPolicy([{ scheduleUuid: weekly, triggerSet: [{ threshold: 8 }] }]);
    const rule = { locationUuid, ruleName: 'Panic', ruleFilters: { scheduleUuids: [weekly] }, action: {} };
    const { ruleUuid } = await fixture.call('/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation', {
      rule,
    });
    expect((await fixture.call(DATA, { scheduleUuid: weekly })).weeklyScheduleData).toMatchObject({
      alertPolicyUuids: [policy],
      doorSettingUuids: [door, landing],
      ruleUuids: [ruleUuid],
      locationsUsedIn: [locationUuid],
    });
    const refusal = async () => (await fixture.call(DELETE, { scheduleUuid: weekly })).errorMsg;
    expect(await refusal()).toMatch(/door Gate .*landing Floor 1 .*rule Panic .*Night .*policy Cold room/);
    await fixture.call('/api/component/updateAccessControlledDoor', {
      accessControlledDoorUuid: door,
      doorStateToScheduleUuidMap: {},
    });
    await ofLanding({});
    await fixture.call('/api/accesscontrol/lockdownPlan/deleteLockdownRule', { ruleUuid });
    await fixture.call('/api/ingest/accessRevocations', {
      rows: [{ ...revocationRow, scheduleUuid: absolute }],
    });
    expect(await refusal()).toBe(`The schedule is used by climate policy Cold room (${policy}).`);
    await ofPolicy([]);
    const deviceUuid = fixture.own.camera.uuid;
    const config = (disabled: Ruuid) => ({ config: { deviceUuid, disabled_schedule_uuid: disabled } });
    await fixture.call('/api/camera/updateConfig', config(weekly));
    expect(await refusal()).toMatch(`the configuration of camera ${deviceUuid}`);
    await fixture.call('/api/camera/updateConfig', config(absolute));
    const recorded = (schedule: Ruuid) => ({
      config: { deviceUuid, recording: 'schedule', recording_schedule_uuid: schedule },
    });
    expect(await fixture.call('/api/camera/updateConfig', recorded(weekly))).toMatchObject(SUCCESS);
    expect(await refusal()).toBe(`The schedule is used by the configuration of camera ${deviceUuid}.`);
    await fixture.call('/api/camera/updateConfig', recorded(absolute));
    expect(await fixture.call(DELETE, { scheduleUuid: weekly })).toEqual(SUCCESS);
  });
});

describe(DELETE, () => {
  it('removes schedules of both kinds', async () => {
    for (const scheduleUuid of [weekly, absolute]) {
      expect(await fixture.call(DELETE, { scheduleUuid })).toEqual(SUCCESS);
      expect(await stored(scheduleUuid)).toBeNull();
      expect(await fixture.call(DELETE, { scheduleUuid })).toMatchObject({ error: true });
    }
  });

  it('refuses one in use and names the shares', async () => {
    const gate = await share(weekly, 'Gate');
    await share(weekly, 'Yard');
    const { error, errorMsg } = await fixture.call(DELETE, { scheduleUuid: weekly });
    expect([error, errorMsg]).toEqual([true, expect.stringMatching(/Gate.*Yard|Yard.*Gate/)]);
    expect(await stored(weekly)).not.toBeNull();
    await fixture.call('/api/camera/deleteSharedLiveVideoStream', { uuid: gate });
    expect((await fixture.call(DELETE, { scheduleUuid: weekly })).errorMsg).not.toContain('Gate');
  });
});
