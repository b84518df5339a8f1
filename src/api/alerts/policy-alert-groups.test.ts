import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const GROUPS = '/api/event/getPolicyAlertGroupsV2';
const DISMISS = '/api/event/dismissPolicyAlertV2';
const EXPIRING = '/api/event/getExpiringPolicyAlerts';
const TIME_MS = 1_767_225_600_000;
const MINUTE_MS = 60_000;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });

/** Raised so many minutes after `TIME_MS`. */
async function raise(...minutes: number[]): Promise<string[]> {
  const rows = minutes.map((minute) => ({
    uuid: newRuuid(),
    deviceUuid: fixture.own.camera.uuid,
    timestampMs: TIME_MS + minute * MINUTE_MS,
  }));
  expect(await fixture.call('/api/ingest/policyAlerts', { rows })).toMatchObject({
    acceptedCount: rows.length,
  });
  return rows.map(({ uuid }) => uuid);
}

interface Group {
  readonly startTime: number;
  readonly endTime: number;
  readonly policyAlerts: readonly { readonly uuid: string; readonly timestampMs: number }[];
}

async function groups(body: object = {}, headers = {}): Promise<Group[]> {
  return (await fixture.call(GROUPS, body, headers)).policyAlertGroups as Group[];
}
const uuidsOf = (found: Group[]) => found.map(({ policyAlerts }) => policyAlerts.map(({ uuid }) => uuid));

it('alerts at most five minutes after each other are one group, newest first', async () => {
  const [a, b, c, d] = await raise(0, 4, 9, 20);
  const found = await groups();
  expect(uuidsOf(found)).toEqual([[d], [c, b, a]]);
  expect(found[1]).toMatchObject({ startTime: TIME_MS, endTime: TIME_MS + 9 * MINUTE_MS });
  const [first] = await groups({ maxResults: 2 });
  expect(first!.policyAlerts.map(({ uuid }) => uuid)).toEqual([d]);
  const mark = { lastTimestampMs: TIME_MS + 9 * MINUTE_MS, lastUuid: c };
  expect(uuidsOf(await groups(mark))).toEqual([[b, a]]);
  expect(uuidsOf(await groups({ deviceUuids: [fixture.own.doorbell.uuid] }))).toEqual([]);
  expect(uuidsOf(await groups({ afterTimestampMs: TIME_MS + 10 * MINUTE_MS }))).toEqual([[d]]);
  expect(await groups({}, foreign())).toEqual([]);
  expect(await fixture.call(GROUPS, { lastUuid: c })).toMatchObject({
    errorMsg: 'lastTimestampMs and lastUuid must be sent together.',
  });
});

it.each(['alertUuid', 'policyAlertUuid'])(
  'a dismissed alert, by %s, is acknowledged and in no group',
  async (field) => {
    const [alert, other] = await raise(0, 1);
    expect(await fixture.call(DISMISS, { [field]: alert }, foreign())).toMatchObject({ error: true });
    expect(uuidsOf(await groups())).toEqual([[other, alert]]);
    for (let time = 0; time < 2; time++) {
      expect(await fixture.call(DISMISS, { [field]: alert })).toEqual({ error: false });
    }
    expect(uuidsOf(await groups())).toEqual([[other]]);
    const details = await fixture.call('/api/event/getPolicyAlertDetails', { policyAlertUuid: alert });
    expect(details.policyAlert).toMatchObject({ acknowledgement: { note: '' } });
  },
);

it('dismissing needs an alert, one alone, and the role of an operator', async () => {
  const [alert] = await raise(0);
  expect(await fixture.call(DISMISS, {})).toMatchObject({ errorMsg: 'alertUuid is required.' });
  const both = { alertUuid: alert, policyAlertUuid: newRuuid() };
  expect((await fixture.call(DISMISS, both)).errorMsg).toContain('must be the same as alertUuid');
  const viewer = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
  const refused = await fixture.post(DISMISS, { alertUuid: alert }, { 'x-auth-apikey': viewer });
  expect(refused.statusCode).toBe(403);
});

it('alerts expire with their clips, unless someone saved them', async () => {
  const { camera, organization } = fixture.own;
  const add = async (minute: number, body: object) => {
    const id = newRuuid();
    const common = { orgUuid: organization.uuid, kind: 'policyAlert', id, deviceUuid: camera.uuid } as const;
    await fixture.store.events.add([{ ...common, atMs: TIME_MS + minute * MINUTE_MS, body }]);
    return id;
  };
  const clipLocation = { region: 'local' };
  const old = await add(0, { clipLocation });
  await add(1, { clipLocation, saved: true });
  await add(2, {});
  await add(9, { clipLocation });
  expect((await fixture.call(EXPIRING)).policyAlerts).toEqual([]);
  vi.spyOn(fixture.clips, 'alertsExpiringBeforeMs').mockReturnValue(TIME_MS + 5 * MINUTE_MS);
  expect((await fixture.call(EXPIRING)).policyAlerts).toMatchObject([{ uuid: old }]);
  expect((await fixture.call(EXPIRING, {}, foreign())).policyAlerts).toEqual([]);
});
