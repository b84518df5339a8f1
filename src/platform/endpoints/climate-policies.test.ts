import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const UPDATE = '/api/policy/updateClimatePolicy';
const POLICIES = '/api/policy/getClimatePolicies';

let fixture: ApiFixture;
let scheduleUuid: string;
let foreignKey: Record<string, string>;
const uuid = newRuuid();
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
  const schedule = { name: 'Night', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 60 }] };
  const created = await fixture.call('/api/schedule/createWeeklySchedule', { schedule });
  scheduleUuid = created.scheduleUuid as string;
});
afterEach(() => fixture.close());

const policies = async (headers = {}) => (await fixture.call(POLICIES, {}, headers)).policies;

describe(UPDATE, () => {
  it('creates a policy, and changes only what is sent', async () => {
    const orgUuid = fixture.own.organization.uuid;
    const policy = {
      uuid,
      orgUuid,
      name: 'Server room',
      description: 'Cold aisle',
      backoffAlertSecs: { TEMP_HIGH: 900 },
      scheduledTriggers: [{ scheduleUuid, triggerSet: [{ activity: 'TEMP_HIGH', threshold: 27.5 }] }],
    };
    const response = await fixture.call(UPDATE, { policy });
    expect(response).toEqual({
      error: false,
      warningMsg: 'The gateway stores climate policies but raises no alerts for them.',
    });
    expect(await policies()).toEqual([policy]);
    await fixture.call(UPDATE, { policy: { uuid, name: ' ', scheduledTriggers: [], description: 'Hot' } });
    expect(await policies()).toEqual([{ ...policy, scheduledTriggers: [], description: 'Hot' }]);
  });

  it('keeps organizations apart that give a policy the same UUID', async () => {
    await fixture.call(UPDATE, { policy: { uuid, name: 'Ours' } });
    await fixture.call(UPDATE, { policy: { uuid, name: 'Theirs' } }, foreignKey);
    expect(await policies()).toMatchObject([{ uuid, name: 'Ours' }]);
    expect(await policies(foreignKey)).toMatchObject([{ uuid, name: 'Theirs' }]);
  });

  it('refuses what is not the organization’s and what is invalid', async () => {
    for (const [policy, sentence] of [
      [undefined, 'policy is required.'],
      [{ name: 'X' }, 'policy.uuid is required.'],
      [{ uuid, orgUuid: fixture.foreign.organization.uuid }, /^policy\.orgUuid must be/],
      [
        { uuid, scheduledTriggers: [{}, { scheduleUuid: newRuuid() }] },
        'policy.scheduledTriggers[1].scheduleUuid: there is no schedule with this UUID.',
      ],
      [{ uuid, scheduledTriggers: [{ triggerSet: [{ threshold: 'hot' }] }] }, /threshold must be a number/],
      [{ uuid, backoffAlertSecs: { A: -1 } }, /^policy\.backoffAlertSecs/],
    ] as const) {
      expect((await fixture.call(UPDATE, { policy })).errorMsg).toMatch(sentence);
    }
    const policy = { uuid, scheduledTriggers: [{ scheduleUuid }] };
    expect((await fixture.call(UPDATE, { policy }, foreignKey)).error).toBe(true);
    expect(await policies()).toEqual([]);
  });
});
