import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/policy/createSchedule';
const FIND = '/api/policy/findSchedules';
const DELETE = '/api/policy/deleteSchedule';
const POLICIES = '/api/policy/getPoliciesUsingSchedule';

const NIGHT = {
  name: 'Night',
  strategy: 'WEEKLY_REPEATING_MINUTES',
  intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 360 }],
};

let fixture: ApiFixture;
let foreignKey: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const create = async (schedule: object) => (await fixture.call(CREATE, { schedule })).scheduleUuid as Ruuid;

it(`${CREATE} stores a weekly schedule and ${FIND} lists it`, async () => {
  const orgUuid = fixture.own.organization.uuid;
  const scheduleUuid = await create({ ...NIGHT, oneTimeUse: true });
  expect(await fixture.store.schedules.find(orgUuid, scheduleUuid)).toMatchObject({
    name: 'Night',
    strategy: NIGHT.strategy,
    intervals: NIGHT.intervalList,
    oneTimeUse: true,
  });
  const absolute = { name: 'Party', intervalList: [{ b: 1_800_000_000, e: 1_800_003_600 }] };
  await fixture.call('/api/schedule/createAbsoluteSchedule', { schedule: absolute });
  await create({ ...NIGHT, name: 'Dawn' });
  expect((await fixture.call(FIND)).schedules).toMatchObject([
    { ...NIGHT, name: 'Dawn' },
    { ...NIGHT, uuid: scheduleUuid, orgUuid, mutable: true, oneTimeUse: true },
  ]);
  expect((await fixture.call(FIND, {}, foreignKey)).schedules).toEqual([]);
});

it.each([
  [{}, 'schedule is required.'],
  [{ schedule: { ...NIGHT, name: undefined } }, 'schedule.name is required.'],
  [{ schedule: { ...NIGHT, strategy: 'ABSOLUTE_SECONDS' } }, /^schedule\.strategy must be/],
  [
    { schedule: { ...NIGHT, intervalList: [{ minuteOfWeekStart: -1, minuteOfWeekStop: 1 }] } },
    /^schedule\.intervalList\[0\]\.minuteOfWeekStart must be an integer from 0 to 10080/,
  ],
])(`${CREATE} refuses %j`, async (body, sentence) => {
  expect(await fixture.call(CREATE, body)).toMatchObject({
    error: true,
    errorMsg: expect.stringMatching(sentence),
  });
  expect(await fixture.store.schedules.list(fixture.own.organization.uuid)).toEqual([]);
});

it(`${DELETE} deletes a schedule that nothing uses, as the MCP server of the API family asks for it`, async () => {
  const scheduleUuid = await create(NIGHT);
  const policy = {
    uuid: newRuuid(),
    name: 'Server room',
    scheduledTriggers: [{ scheduleUuid, triggerSet: [] }],
  };
  await fixture.call('/api/policy/updateClimatePolicy', { policy });
  const used = await fixture.call(DELETE, { scheduleUuid });
  expect(used.errorMsg).toMatch(/Server room/);
  await fixture.call('/api/policy/updateClimatePolicy', { policy: { ...policy, scheduledTriggers: [] } });
  const foreign = await fixture.call(DELETE, { scheduleUuid }, foreignKey);
  expect(foreign.errorMsg).toMatch(/^There is no schedule/);
  expect(await fixture.call(DELETE, { scheduleUuid })).toEqual({ error: false });
  expect((await fixture.call(FIND)).schedules).toEqual([]);
});

it(`${POLICIES} shows climate policies with their schedules`, async () => {
  const [night, unused] = [await create(NIGHT), await create({ ...NIGHT, name: 'Unused' })];
  const party = { name: 'Party', intervalList: [{ b: 1_800_000_000, e: 1_800_003_600 }] };
  const absolute = await fixture.call('/api/schedule/createAbsoluteSchedule', { schedule: party });
  const hot = [{ activity: 'TEMP_HIGH', threshold: 27.5 }];
  const wet = [{ activity: 'HUMIDITY_HIGH', threshold: 80 }];
  const policy = {
    uuid: newRuuid(),
    name: 'Server room',
    backoffAlertSecs: { TEMP_HIGH: 900 },
    scheduledTriggers: [
      { scheduleUuid: night, triggerSet: hot },
      { triggerSet: wet },
      { scheduleUuid: absolute.scheduleUuid, triggerSet: wet },
    ],
  };
  await fixture.call('/api/policy/updateClimatePolicy', { policy });
  await fixture.call('/api/policy/updateClimatePolicy', { policy: { uuid: newRuuid(), name: 'Other' } });
  const response = await fixture.call(POLICIES, { scheduleUuid: night });
  expect(response).toMatchObject({ error: false, cameraPolicyList: [], doorPolicyList: [] });
  expect(response.climatePolicyList).toMatchObject([
    {
      uuid: policy.uuid,
      name: 'Server room',
      backoffAlertSecs: { TEMP_HIGH: 900 },
      defaultTriggers: wet,
      scheduledTriggers: [
        { schedule: { ...NIGHT, uuid: night }, triggerSet: hot },
        { schedule: { name: 'Party', strategy: 'ABSOLUTE_SECONDS' }, triggerSet: wet },
      ],
    },
  ]);
  const ofAbsolute = await fixture.call(POLICIES, { scheduleUuid: absolute.scheduleUuid });
  expect(ofAbsolute.climatePolicyList).toEqual(response.climatePolicyList);
  expect((await fixture.call(POLICIES, { scheduleUuid: unused })).climatePolicyList).toEqual([]);
  for (const [body, headers] of [
    [{ scheduleUuid: newRuuid() }, {}],
    [{ scheduleUuid: night }, foreignKey],
  ] as const) {
    expect(await fixture.call(POLICIES, body, headers)).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(/^There is no schedule/),
    });
  }
});
