import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const KINDS = [
  ['RealtimeRelative', 'REALTIME_RELATIVE_SECONDS', 'relativeSchedules', { pastSeconds: 3_600 }],
  [
    'RelativeDateTime',
    'RELATIVE_DATETIME_INTERVALS',
    'relativeDatetimeSchedules',
    {
      intervals: [{ localStartDateTime: '2026-01-01T00:00:00', localEndDateTime: '2026-01-01T12:00:00' }],
    },
  ],
] as const;

let fixture: ApiFixture;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

describe.each(KINDS)('a schedule of kind %s', (kind, strategy, list, fields) => {
  const create = (schedule: object) => fixture.call(`/api/schedule/create${kind}Schedule`, { schedule });
  const find = (uuid: unknown, headers?: Record<string, string>) =>
    fixture.call(`/api/schedule/find${kind}Schedule`, { uuid }, headers);

  it('is created, found, listed and deleted', async () => {
    const { scheduleUuid: uuid } = await create({ name: ' Mine ', ...fields });
    const schedule = {
      uuid,
      orgUuid: fixture.own.organization.uuid,
      name: 'Mine',
      strategy,
      mutable: false,
      oneTimeUse: false,
      ...fields,
    };
    expect((await find(uuid)).schedule).toEqual(schedule);
    expect((await fixture.call('/api/schedule/getSchedules'))[list]).toEqual([schedule]);
    expect((await find(uuid, foreignHeaders)).errorMsg).toMatch(/^There is no schedule/);
    expect((await fixture.call('/api/schedule/findWeeklySchedule', { uuid })).error).toBe(true);
    const change = { schedule: { uuid, name: 'Other' } };
    expect((await fixture.call('/api/policy/updateSchedule', change)).error).toBe(true);
    await fixture.call('/api/schedule/deleteSchedule', { scheduleUuid: uuid });
    expect((await find(uuid)).error).toBe(true);
  });

  it('is refused if it is invalid', async () => {
    expect((await create({ name: ' ', ...fields })).errorMsg).toBe('name must not be blank.');
    expect((await create({ name: 'X' })).errorMsg).toMatch(/^schedule\.(pastSeconds|intervals) is required/);
  });
});

describe('local dates and times', () => {
  const create = (localStartDateTime: string, localEndDateTime: string) =>
    fixture.call('/api/schedule/createRelativeDateTimeSchedule', {
      schedule: { name: 'X', intervals: [{ localStartDateTime, localEndDateTime }] },
    });

  it.each([
    ['2026-02-30T00:00:00', '2026-03-01T00:00:00', /^intervals\[0\]\.localStartDateTime must be a date/],
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00', /^intervals\[0\]\.localEndDateTime must be later/],
    ['2026-01-01', '2026-01-02T00:00:00', /^intervals\[0\]\.localStartDateTime must be a date/],
    ['2026-01-01T00:00Z', '2026-01-02T00:00', /^intervals\[0\]\.localStartDateTime must be a date/],
  ])('%s to %s are refused', async (start, stop, sentence) => {
    expect((await create(start, stop)).errorMsg).toMatch(sentence);
  });

  it('are local to where the schedule is used', async () => {
    // 2026-01-01T00:00Z is 19:00 on the day before in New York.
    const { scheduleUuid } = await create('2025-12-31T19:30', '2025-12-31T20:00');
    const rule = {
      locationUuid: fixture.own.locationUuid,
      ruleName: 'Evening',
      ruleFilters: { scheduleUuids: [scheduleUuid] },
      action: {},
    };
    await fixture.call('/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation', { rule });
    const ran = async () => {
      const { organization, locationUuid, camera } = fixture.own;
      const atMs = fixture.clock.epochMs();
      return fixture.accessControl.lockdown.trigger(organization.uuid, {
        activity: 'PANIC_BUTTON',
        locationUuid,
        deviceUuid: camera.uuid,
        componentUuid: null,
        atMs,
        key: `at ${atMs}`,
      });
    };
    expect(await ran()).toEqual([]);
    fixture.clock.advance(30 * 60_000);
    expect(await ran()).toHaveLength(1);
    fixture.clock.advance(30 * 60_000);
    expect(await ran()).toEqual([]);
  });
});

describe('where a schedule is used', () => {
  it('is listed, and keeps it from being deleted', async () => {
    const { locationUuid } = fixture.own;
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', {
      schedule: { name: 'Day', intervalList: [] },
    });
    const [door, landing, revocation] = [newRuuid(), newRuuid(), newRuuid()];
    const place = { ownerDeviceUuid: newRuuid(), locationUuid, name: 'Gate' };
    const state = { UNLOCKED: scheduleUuid };
    await fixture.call('/api/ingest/doors', {
      rows: [{ uuid: door, ...place, doorStateToScheduleUuidMap: state }],
    });
    await fixture.call('/api/ingest/elevatorLandings', {
      rows: [{ uuid: landing, ...place, accessStateToScheduleUuidMap: state }],
    });
    await fixture.call('/api/ingest/accessRevocations', {
      rows: [{ uuid: revocation, name: 'Night', locationUuid, scheduleUuid }],
    });
    const rule = {
      locationUuid,
      ruleName: 'Panic',
      action: {},
      ruleFilters: { scheduleUuids: [scheduleUuid] },
    };
    const { ruleUuid } = await fixture.call('/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation', {
      rule,
    });
    expect(
      (await fixture.call('/api/schedule/getScheduleDataV2', { scheduleUuid })).weeklyScheduleData,
    ).toMatchObject({
      doorSettingUuids: [door, landing],
      ruleUuids: [ruleUuid],
      locationsUsedIn: [locationUuid],
      sharedStreamUuids: [],
    });
    const remove = () => fixture.call('/api/schedule/deleteSchedule', { scheduleUuid });
    expect((await remove()).errorMsg).toBe(
      `The schedule is used by door Gate (${door}), elevator landing Gate (${landing}), ` +
        `lockdown rule Panic (${ruleUuid}), access revocation Night (${revocation}).`,
    );
    await fixture.call('/api/accesscontrol/lockdownPlan/deleteLockdownRule', { ruleUuid });
    expect((await remove()).errorMsg).not.toContain('lockdown rule');
    const foreign = await fixture.call('/api/schedule/deleteSchedule', { scheduleUuid }, foreignHeaders);
    expect(foreign.errorMsg).toMatch(/^There is no schedule/);
    expect(
      await fixture.store.schedules.find(fixture.own.organization.uuid, scheduleUuid as Ruuid),
    ).not.toBeNull();
  });
});
