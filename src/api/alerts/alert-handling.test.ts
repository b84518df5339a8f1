/** Who deals with alerts, and which new ones a page tells of. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { sampleCamera, sampleLocation } from '../../store/sample-entities-fixture.ts';
import type { ChangeEvent } from '../../store/store.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const INGEST = '/api/ingest/policyAlerts';
const GET = '/api/event/getPolicyAlert';
const ACKNOWLEDGE = '/api/event/acknowledgePolicyAlerts';
const REOPEN = '/api/event/reopenPolicyAlerts';
const TAKE = '/api/event/takePolicyAlert';
const RELEASE = '/api/event/releasePolicyAlert';
const INBOX = '/api/event/getAlertInbox';
const SETTINGS = '/api/customer/updateCurrentUserNotificationSettings';

type Headers = Record<string, string>;

let fixture: ApiFixture;
let ada: Headers;
let bo: Headers;
let viewer: Headers;
let foreign: Headers;
beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
  ada = await keyOf({ name: 'Ada', role: 'operator' });
  bo = await keyOf({ name: 'Bo', role: 'operator' });
  viewer = await keyOf({ name: 'Cy', role: 'viewer' });
  foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

async function keyOf(fields: object): Promise<Headers> {
  const apiKey = await addApiKey(fixture.store, fixture.own.organization.uuid, fields);
  return { 'x-auth-apikey': apiKey };
}

async function report(count: number, fields: object = {}): Promise<Ruuid[]> {
  const timestampMs = fixture.clock.epochMs();
  const rows = Array.from({ length: count }, (_, index) => ({
    uuid: newRuuid(),
    deviceUuid: fixture.own.camera.uuid,
    timestampMs: timestampMs + index,
    ...fields,
  }));
  expect(await fixture.call(INGEST, { rows })).toMatchObject({ acceptedCount: count });
  return rows.map(({ uuid }) => uuid);
}

const alertOf = async (policyAlertUuid: Ruuid) =>
  (await fixture.call(GET, { policyAlertUuid })).policyAlert as {
    readonly acknowledgement?: object;
    readonly taking?: object;
  };

describe('acknowledging many', () => {
  it('is undone with what it returned, and leaves what others did', async () => {
    const [first, second, third] = (await report(3)) as [Ruuid, Ruuid, Ruuid];
    await fixture.call(ACKNOWLEDGE, { alertUuids: [first], note: 'Mine' }, bo);
    const alertUuids = [first, second, third, second, newRuuid()];
    const done = await fixture.call(ACKNOWLEDGE, { alertUuids }, ada);
    expect(done).toMatchObject({
      acknowledgedUuids: [second, third],
      ofOthers: [{ alertUuid: first, acknowledgement: { actorName: 'Bo', note: 'Mine' } }],
    });
    // A second time, it changes nothing, so there is nothing to undo.
    expect(await fixture.call(ACKNOWLEDGE, { alertUuids: [second] }, ada)).toMatchObject({
      acknowledgedUuids: [],
      ofOthers: [],
    });
    const undone = await fixture.call(REOPEN, { alertUuids }, ada);
    expect(undone).toMatchObject({ reopenedUuids: [second, third], ofOthers: [{ alertUuid: first }] });
    expect(await alertOf(second)).not.toHaveProperty('acknowledgement');
    expect(await alertOf(first)).toMatchObject({ acknowledgement: { actorName: 'Bo' } });
  });

  it('is undone for others only by admins', async () => {
    const alertUuids = await report(1);
    await fixture.call(ACKNOWLEDGE, { alertUuids }, ada);
    expect(await fixture.call(REOPEN, { alertUuids }, bo)).toMatchObject({ reopenedUuids: [] });
    expect(await fixture.call(REOPEN, { alertUuids })).toMatchObject({ reopenedUuids: alertUuids });
  });

  it('is bounded, for operators, and within the organization', async () => {
    const alertUuids = await report(1);
    const many = Array.from({ length: 201 }, () => newRuuid());
    for (const path of [ACKNOWLEDGE, REOPEN]) {
      expect((await fixture.call(path, { alertUuids: many }, ada)).errorMsg, path).toMatch(
        /^alertUuids must/,
      );
      expect((await fixture.post(path, { alertUuids }, viewer)).statusCode, path).toBe(403);
    }
    expect(await fixture.call(ACKNOWLEDGE, { alertUuids }, foreign)).toMatchObject({ acknowledgedUuids: [] });
    await fixture.call(ACKNOWLEDGE, { alertUuids }, ada);
    expect(await fixture.call(REOPEN, { alertUuids }, foreign)).toMatchObject({ reopenedUuids: [] });
  });

  it('leaves a row in the audit trail for each alert, both ways', async () => {
    const alertUuids = await report(2, { textDescription: 'Person at the gate' });
    await fixture.call(ACKNOWLEDGE, { alertUuids }, ada);
    await fixture.call(REOPEN, { alertUuids }, ada);
    const { auditEvents } = await fixture.call('/api/report/getAuditFeed', {});
    const rows = (auditEvents as { action: string; targetUuid: Ruuid; targetName?: string }[]).filter(
      ({ action }) => action.startsWith('ALERT_ACKNOWLEDGEMENT'),
    );
    for (const action of ['ALERT_ACKNOWLEDGEMENT_CREATE', 'ALERT_ACKNOWLEDGEMENT_DELETE']) {
      const of = rows.filter((row) => row.action === action);
      expect(of.map(({ targetUuid }) => targetUuid).toSorted()).toEqual(alertUuids.toSorted());
      expect(new Set(of.map(({ targetName }) => targetName))).toEqual(new Set(['Person at the gate']));
    }
  });
});

describe('taking', () => {
  it('is for the first one, who releases it, and is announced with the name', async () => {
    const [alertUuid] = (await report(1)) as [Ruuid];
    const changes: ChangeEvent[] = [];
    fixture.store.onChange((change) => void changes.push(change));
    const both = await Promise.all([ada, bo].map((headers) => fixture.call(TAKE, { alertUuid }, headers)));
    expect(both.map(({ isYours }) => isYours).toSorted()).toEqual([false, true]);
    const [taker, other] = both[0]!.isYours ? [ada, bo] : [bo, ada];
    const actorName = taker === ada ? 'Ada' : 'Bo';
    for (const response of both) expect(response.taking).toMatchObject({ actorName });
    expect(await alertOf(alertUuid)).toMatchObject({ taking: { actorName } });
    expect(await fixture.call(RELEASE, { alertUuid }, other)).toMatchObject({ taking: { actorName } });
    expect(await fixture.call(RELEASE, { alertUuid }, taker)).toEqual({ error: false });
    expect(await fixture.call(RELEASE, { alertUuid }, taker)).toEqual({ error: false });
    expect(changes.map(({ entity, type, details }) => [entity, type, details?.fields.name])).toEqual([
      ['alertTaking', 'CREATE', actorName],
      ['alertTaking', 'DELETE', actorName],
    ]);
  });

  it('stays with the alert when it is acknowledged, and is released by admins', async () => {
    const [alertUuid] = (await report(1)) as [Ruuid];
    await fixture.call(TAKE, { alertUuid }, ada);
    await fixture.call(ACKNOWLEDGE, { alertUuids: [alertUuid] }, bo);
    expect(await alertOf(alertUuid)).toMatchObject({
      taking: { actorName: 'Ada' },
      acknowledgement: { actorName: 'Bo' },
    });
    expect((await fixture.call(TAKE, { alertUuid }, bo)).errorMsg).toBe(
      'Someone has acknowledged the alert already.',
    );
    expect(await fixture.call(RELEASE, { alertUuid })).toEqual({ error: false });
    expect(await alertOf(alertUuid)).not.toHaveProperty('taking');
  });

  it('is for operators, and within the organization', async () => {
    const [alertUuid] = await report(1);
    for (const path of [TAKE, RELEASE]) {
      expect((await fixture.post(path, { alertUuid }, viewer)).statusCode, path).toBe(403);
      expect((await fixture.call(path, { alertUuid }, foreign)).errorMsg, path).toBe(
        'There is no policy alert with this UUID.',
      );
    }
  });
});

describe(INBOX, () => {
  it('counts open alerts, and describes the newest new ones', async () => {
    const newAlertUuids = await report(5);
    await fixture.call(ACKNOWLEDGE, { alertUuids: [newAlertUuids[4]] }, ada);
    const inbox = await fixture.call(INBOX, { newAlertUuids: [...newAlertUuids, newRuuid()] }, viewer);
    const newest = newAlertUuids.slice(0, 4).toReversed();
    expect(inbox).toMatchObject({ openCount: 4, isMore: false, noticeUuids: newest });
    const { camera } = fixture.own;
    expect(inbox.notices).toMatchObject(
      newest.slice(0, 3).map((uuid) => ({ alert: { uuid }, deviceName: camera.name, isCamera: true })),
    );
    expect(await fixture.call(INBOX, { newAlertUuids }, foreign)).toMatchObject({
      openCount: 0,
      noticeUuids: [],
    });
  });

  it('stops counting at 1,000', async () => {
    await report(1_000);
    expect(await fixture.call(INBOX)).toMatchObject({ openCount: 1_000, isMore: false });
    await report(1);
    expect(await fixture.call(INBOX)).toMatchObject({ openCount: 1_000, isMore: true });
  });

  it('follows the settings of the caller, and no one else’s', async () => {
    const newAlertUuids = await report(1);
    const rows = [{ locations: [fixture.own.locationUuid] }];
    const quiet = { timeFrames: [{ mediums: ['APP'], rows }] };
    await fixture.call(SETTINGS, quiet, ada);
    expect(await fixture.call(INBOX, { newAlertUuids }, ada)).toMatchObject({
      openCount: 1,
      noticeUuids: [],
    });
    expect(await fixture.call(INBOX, { newAlertUuids }, bo)).toMatchObject({ noticeUuids: newAlertUuids });
    await fixture.call(SETTINGS, { timeFrames: [{ mediums: ['BROWSER'], rows }] }, ada);
    expect(await fixture.call(INBOX, { newAlertUuids }, ada)).toMatchObject({ noticeUuids: newAlertUuids });
  });

  it('knows only what limited callers see', async () => {
    const orgUuid = fixture.own.organization.uuid;
    const site = sampleLocation(orgUuid, { name: 'Elsewhere' });
    await fixture.store.locations.save(site);
    const hidden = sampleCamera(orgUuid, { locationUuid: site.uuid });
    await fixture.store.cameras.save(hidden);
    const seen = await report(2);
    const others = await report(3, { deviceUuid: hidden.uuid });
    const scope = { locationUuids: [fixture.own.locationUuid], cameraUuids: [] };
    const limited = await keyOf({ name: 'Di', role: 'operator', scope });
    const newAlertUuids = [...seen, ...others];
    expect(await fixture.call(INBOX, { newAlertUuids }, limited)).toMatchObject({
      openCount: 2,
      noticeUuids: seen.toReversed(),
    });
    const done = await fixture.call(ACKNOWLEDGE, { alertUuids: newAlertUuids }, limited);
    expect(done).toMatchObject({ acknowledgedUuids: seen, ofOthers: [] });
    expect((await fixture.call(TAKE, { alertUuid: others[0] }, limited)).errorMsg).toBe(
      'There is no policy alert with this UUID.',
    );
  });
});
